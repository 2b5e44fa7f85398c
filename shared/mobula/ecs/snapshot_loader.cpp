// Loads what parse_snapshot() has found into a registry. Everything is checked before the first change.
#include <algorithm>
#include <functional>
#include <mobula/core/format.hpp>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/ecs/snapshot_layout.hpp>
#include <utility>

namespace mobula::ecs {

// First checks everything and builds the entity pool separately. Then opens pools and prototypes, which has no visible
// effect. Then fills the pools, or empties them on failure. The rest cannot fail.
class SnapshotLoader {
 public:
  SnapshotLoader(Registry& registry, SavedRegistry saved) : registry_(registry), saved_(std::move(saved)) {}

  core::Status load();

 private:
  // A signal to emit once everything is in place, and its entities.
  struct Announcement {
    Signal* signal;
    std::vector<Entity> entities;
  };

  core::Status check_pools();
  core::Status check_pool(const SavedPool& pool) const;
  core::Status check_prototypes();
  [[nodiscard]] std::uint32_t sent_bits_max(std::uint32_t pool) const;
  [[nodiscard]] core::Status check_sizes() const;
  [[nodiscard]] core::Error too_large(PrototypeId prototype, const SentSize& size) const;
  core::Status restore_entities();
  core::Status check_components();
  void survey_living();
  [[nodiscard]] bool all_have(std::uint32_t number, std::uint32_t tag);

  void open_pools();
  void make_prototypes();
  void fill();
  void fill_pools();
  void commit() noexcept;
  [[nodiscard]] std::vector<Announcement> announcements() const;

  Registry& registry_;
  SavedRegistry saved_;
  EntityPool entities_;                     // as saved, once checked
  std::vector<EntityRange> runs_;           // living entities
  std::vector<std::uint32_t> uses_;         // by saved prototype
  std::vector<PoolId> pool_ids_;            // by number
  std::vector<PrototypeId> prototype_ids_;  // by saved prototype
  // Scratch of all_have(): the tag of the last visit per index and per prototype.
  std::vector<std::uint32_t> met_;
  std::vector<std::uint32_t> having_;
};

core::Status SnapshotLoader::load() {
  if (registry_.index_.entities().size() > 0)
    return core::Error{"registry not empty", "a snapshot is loaded into a registry without entities: this one has " +
                                                 std::to_string(registry_.index_.entities().size())};
  for (const auto check : {&SnapshotLoader::check_pools, &SnapshotLoader::check_prototypes,
                           &SnapshotLoader::restore_entities, &SnapshotLoader::check_components})
    if (core::Status status = (this->*check)(); !status) return status;
  open_pools();
  make_prototypes();
  fill();
  return core::Done{};
}

core::Status SnapshotLoader::check_pools() {
  std::vector<std::uint64_t> keys;
  std::size_t missing = 0;
  for (const SavedPool& pool : saved_.pools) {
    if (core::Status status = check_pool(pool); !status) return status;
    keys.push_back(pool.key());
    missing += registry_.find_pool(pool.type(), pool.instance()) == Registry::no_pool ? 1u : 0u;
  }
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) return damaged("it has a pool twice");
  if (missing > Registry::max_pools - registry_.pool_count())
    return core::Error{"too many pools",
                       "with the snapshot's pools there are more than " + std::to_string(Registry::max_pools)};
  return core::Done{};
}

core::Status SnapshotLoader::check_pool(const SavedPool& pool) const {
  const std::string name(pool.type_name);
  const ComponentType* type = registry_.find_type(pool.type());
  if (type == nullptr)
    return core::Error{"unknown component",
                       "no component type " + name + " (" + core::to_string(pool.type()) + ") is registered"};
  if (type->name != name || !type->schema || type->size != pool.record.component_size)
    return core::Error{"component differs", "component type " + name + " has " +
                                                std::to_string(pool.record.component_size) + " bytes, but " +
                                                type->name + (type->schema ? "" : ", a server-only one,") + " has " +
                                                std::to_string(type->size) + " here"};
  if (!Registry::good_instance_name(*type, pool.instance_name)) return damaged("an instance name is not valid");
  const PoolId found = registry_.find_pool(pool.type(), pool.instance());
  if (found != Registry::no_pool && registry_.pool(found).instance_name() != pool.instance_name)
    return core::Error{"name collision", "instance name " + std::string(pool.instance_name) + " has the hash of " +
                                             registry_.pool(found).instance_name()};
  return core::Done{};
}

// Checks that each prototype occurs once and with its base. So creating them costs time in proportion to the snapshot.
core::Status SnapshotLoader::check_prototypes() {
  using Pools = std::span<const std::uint32_t>;
  std::vector<SavedPrototype>& saved = saved_.prototypes;
  const auto less = [](Pools a, Pools b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::vector<PrototypeId> ordered{empty_prototype};
  for (PrototypeId i = 1; i < saved.size(); ++i)
    if (!saved[i].pools.empty()) ordered.push_back(i);
  std::sort(ordered.begin(), ordered.end(),
            [&](PrototypeId a, PrototypeId b) { return less(saved[a].pools, saved[b].pools); });
  const auto find = [&](Pools pools) {  // or one that is too large
    const auto found = std::lower_bound(ordered.begin(), ordered.end(), pools,
                                        [&](PrototypeId a, Pools wanted) { return less(saved[a].pools, wanted); });
    return found != ordered.end() && !less(pools, saved[*found].pools) ? *found : ~0u;
  };

  if (saved.empty() || !saved[empty_prototype].pools.empty())
    return damaged("its first prototype is not the empty one");
  std::vector<core::StringId32> names;
  for (const PrototypeId prototype : ordered) {
    const Pools pools = saved[prototype].pools;
    if (prototype == empty_prototype) continue;
    if (find(pools) != prototype) return damaged("it has a prototype twice");
    if (*std::max_element(pools.begin(), pools.end()) >= saved_.pools.size())
      return damaged("a prototype has a pool that is not there");
    names.clear();
    for (const std::uint32_t pool : pools) names.push_back(saved_.pools[pool].instance());
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
      return damaged("a prototype has an instance name twice");
    saved[prototype].base = find(pools.first(pools.size() - 1));
    if (saved[prototype].base >= saved.size()) return damaged("a prototype has no base");
  }
  return core::Done{};
}

std::uint32_t SnapshotLoader::sent_bits_max(std::uint32_t pool) const {
  return registry_.find_type(saved_.pools[pool].type())->sent_bits_max;
}

// A schema may have grown since the entities were saved.
core::Status SnapshotLoader::check_sizes() const {
  for (PrototypeId prototype = 1; prototype < uses_.size(); ++prototype) {
    SentSize size;
    for (const std::uint32_t pool : saved_.prototypes[prototype].pools) size.add(sent_bits_max(pool));
    if (uses_[prototype] > 0 && !size.fits()) return too_large(prototype, size);
  }
  return core::Done{};
}

core::Error SnapshotLoader::too_large(PrototypeId prototype, const SentSize& size) const {
  const EntityPool& entities = entities_;
  std::uint32_t index = 0;
  while (!entities.at(index) || entities.prototype(index) != prototype) ++index;
  const std::span<const std::uint32_t> pools = saved_.prototypes[prototype].pools;
  const std::uint32_t largest =
      *std::ranges::max_element(pools, {}, [this](std::uint32_t pool) { return sent_bits_max(pool); });
  return {
      "too large",
      core::format("entity {} and {} more like it have {} components to send, of {} bytes, the largest of which is {}; "
                   "an entity may have {}, of {} bytes: save with the former schema after removing some, or keep "
                   "their types smaller",
                   to_string(entities.at(index)), uses_[prototype] - 1, size.components, size.bits / 8,
                   saved_.pools[largest].instance_name, SentSize::components_max, SentSize::bits_max / 8)};
}

core::Status SnapshotLoader::restore_entities() {
  core::Result<EntityPool> restored = EntityPool::restore(registry_.config_.entities, saved_.entities,
                                                          static_cast<PrototypeId>(saved_.prototypes.size()));
  if (!restored) return restored.error();
  entities_ = std::move(*restored);
  survey_living();
  for (PrototypeId prototype = 1; prototype < uses_.size(); ++prototype)
    if (uses_[prototype] > 0 && saved_.prototypes[prototype].pools.empty())
      return damaged("an entity has a prototype that is not there");
  return check_sizes();
}

void SnapshotLoader::survey_living() {
  uses_.resize(saved_.prototypes.size());
  // Neighbours mostly share a prototype: they are counted before they are added.
  const EntityPool& entities = entities_;
  EntityRange run;
  PrototypeId prototype = empty_prototype;
  std::uint32_t alike = 0;
  for (std::uint32_t index = 0; index < entities.index_end(); ++index) {
    const Entity entity = entities.at(index);
    if (!entity) continue;
    if (entities.prototype(index) != prototype) {
      uses_[prototype] += std::exchange(alike, 0);
      prototype = entities.prototype(index);
    }
    ++alike;
    if (entity != run.at(run.count)) {
      if (run.count > 0) runs_.emplace_back(run.first, run.count, run.generation);  // the run stays in registers
      run = {index, 0, entity.generation};
    }
    ++run.count;
  }
  uses_[prototype] += alike;
  if (run.count > 0) runs_.emplace_back(run.first, run.count, run.generation);
}

// A pool holds exactly the entities whose prototype has it if their number matches, each entity's prototype has the
// pool, and no entity occurs twice.
core::Status SnapshotLoader::check_components() {
  struct Having {
    std::uint32_t pool;
    PrototypeId prototype;
  };
  std::vector<Having> having;
  for (PrototypeId prototype = 0; prototype < saved_.prototypes.size(); ++prototype)
    for (const std::uint32_t pool : saved_.prototypes[prototype].pools) having.push_back({pool, prototype});
  std::sort(having.begin(), having.end(), [](const Having& a, const Having& b) { return a.pool < b.pool; });

  met_.resize(entities_.index_end());
  having_.resize(saved_.prototypes.size());
  auto next = having.begin();
  for (std::uint32_t number = 0; number < saved_.pools.size(); ++number) {
    std::size_t expected = 0;
    for (; next != having.end() && next->pool == number; ++next) {
      having_[next->prototype] = number + 1;
      expected += uses_[next->prototype];
    }
    if (saved_.pools[number].indices.size() != expected || !all_have(number, number + 1))
      return damaged("a pool does not hold those entities whose prototype has it");
  }
  return core::Done{};
}

bool SnapshotLoader::all_have(std::uint32_t number, std::uint32_t tag) {
  const EntityPool& entities = entities_;
  const std::uint32_t* const having = having_.data();
  std::uint32_t* const met = met_.data();
  const std::span<const std::uint32_t> indices = saved_.pools[number].indices;
  // Ascending indices contain no duplicates.
  const bool ascending = std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) == indices.end();
  const auto has = [&](std::uint32_t index) { return entities.at(index) && having[entities.prototype(index)] == tag; };
  if (ascending) return std::all_of(indices.begin(), indices.end(), has);
  return std::all_of(indices.begin(), indices.end(),
                     [&](std::uint32_t index) { return has(index) && std::exchange(met[index], tag) != tag; });
}

void SnapshotLoader::open_pools() {
  for (const SavedPool& pool : saved_.pools) {
    const core::Result<PoolId> opened = registry_.open_pool(pool.type(), pool.instance_name);
    MOBULA_ASSERT(opened.ok(), opened.error().message);
    pool_ids_.push_back(*opened);
  }
}

void SnapshotLoader::make_prototypes() {
  const std::vector<SavedPrototype>& saved = saved_.prototypes;
  constexpr PrototypeId not_made = ~0u;
  prototype_ids_.assign(saved.size(), not_made);
  prototype_ids_[empty_prototype] = empty_prototype;
  bool same = true;
  std::vector<PrototypeId> chain;  // a base may have a higher id than prototypes derived from it
  for (PrototypeId prototype = 0; prototype < saved.size(); ++prototype) {
    if (saved[prototype].pools.empty()) continue;
    for (PrototypeId next = prototype; prototype_ids_[next] == not_made; next = saved[next].base) chain.push_back(next);
    for (; !chain.empty(); chain.pop_back()) {
      const SavedPrototype& link = saved[chain.back()];
      const PrototypeId made =
          registry_.index_.prototypes().with(prototype_ids_[link.base], pool_ids_[link.pools.back()]);
      same = same && made == chain.back();
      prototype_ids_[chain.back()] = made;
    }
  }
  if (same) return;
  entities_.each([this](Entity entity) {
    const EntityPool::PrototypePlace prototype = entities_.prototype_place(entity.index);
    prototype.change(prototype.get(), prototype_ids_[prototype.get()]);
  });
}

void SnapshotLoader::fill() {
  const Tick tick_before = registry_.tick_;
  core::Undo undo([&] {
    for (const auto& group : registry_.groups_) group->clear();
    for (const PoolId pool : pool_ids_) registry_.pools_[pool]->clear_held();
    registry_.tick_ = tick_before;
  });
  registry_.tick_ = std::max(registry_.tick_, saved_.tick);
  registry_.journal_.make_room(runs_.size());
  fill_pools();
  const std::vector<Announcement> announced = announcements();
  undo.dismiss();
  commit();
  for (const Announcement& announcement : announced) announcement.signal->emit(announcement.entities);
}

void SnapshotLoader::fill_pools() {
  for (std::size_t i = 0; i < pool_ids_.size(); ++i)
    registry_.pools_[pool_ids_[i]]->assign(saved_.pools[i].indices, saved_.pools[i].components);
  for (const auto& group : registry_.groups_) group->fill();
}

std::vector<SnapshotLoader::Announcement> SnapshotLoader::announcements() const {
  std::vector<Announcement> made;
  if (!registry_.created_.empty()) made.push_back({&registry_.created_, {entities_.begin(), entities_.end()}});
  for (const PoolId id : pool_ids_) {
    const Pool& pool = *registry_.pools_[id];
    if (pool.watch() == nullptr || pool.watch()->signals.construct.empty()) continue;
    std::vector<Entity>& entities = made.emplace_back(Announcement{&pool.watch()->signals.construct, {}}).entities;
    for (const std::uint32_t index : pool.indices()) entities.push_back(entities_.at(index));
  }
  return made;
}

void SnapshotLoader::commit() noexcept {
  registry_.index_.entities() = std::move(entities_);
  for (std::size_t i = 0; i < prototype_ids_.size(); ++i)
    if (uses_[i] > 0) registry_.index_.prototypes().retain(prototype_ids_[i], uses_[i]);
  for (const EntityRange& run : runs_) registry_.journal_.note(JournalEntry::Kind::create, run.at(0), run.count);
}

core::Status load_snapshot(core::ByteView bytes, Registry& registry) {
  core::Bytes aligned;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {  // columns are used in place
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  core::Result<SavedRegistry> saved = parse_snapshot(bytes);
  if (!saved) return saved.error();
  return load_saved(std::move(*saved), registry);
}

core::Status load_saved(SavedRegistry saved, Registry& registry) {
  return SnapshotLoader(registry, std::move(saved)).load();
}

}  // namespace mobula::ecs

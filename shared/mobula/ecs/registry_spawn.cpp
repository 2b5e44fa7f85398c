// Registry: the steps of a spawn. Entities are created with their prototypes, then components are added column by
// column.
#include <algorithm>
#include <functional>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

// Both log the creation, and leave room to log an undo_spawn() with an entry to spare: it asks for one each time.
// `created` waits for end_spawn(): a listener that changed entities without their components would take them from the
// columns.
EntityRange Registry::begin_spawn(std::span<const PrototypeId> prototypes) {
  const std::uint64_t components = components_of(prototypes);
  journal_.make_room(3);
  const EntityRange range = index_.entities().create_range(static_cast<std::uint32_t>(prototypes.size()));
  if (range.count == 0) return range;
  journal_.note(JournalEntry::Kind::create, range.at(0), range.count);
  assign_prototypes(range, prototypes);
  missing_ += components;
  return range;
}

bool Registry::begin_spawn(std::span<Entity> out, std::span<const PrototypeId> prototypes) {
  MOBULA_CHECK(prototypes.size() == out.size(), "a spawn has one prototype for each entity");
  const std::uint64_t components = components_of(prototypes);
  if (!index_.entities().create(out)) return false;
  core::Undo undo([&] { index_.entities().destroy(out); });
  journal_.make_room(2 * out.size() + 1);
  undo.dismiss();
  journal_.note_all(JournalEntry::Kind::create, out);
  assign_prototypes(std::span<const Entity>(out), prototypes);
  missing_ += components;
  return true;
}

// Neighbours mostly share a prototype.
std::uint64_t Registry::components_of(std::span<const PrototypeId> prototypes) const {
  std::uint64_t components = 0;
  std::size_t each = 0;
  PrototypeId last = empty_prototype;
  for (const PrototypeId prototype : prototypes) {
    if (prototype != last) each = index_.prototypes().pools(prototype).size();
    last = prototype;
    components += each;
  }
  return components;
}

void Registry::check_spawned() const {
  MOBULA_CHECK(missing_ == 0, "a spawn lacks " + std::to_string(missing_) +
                                  " components: add a column for each component that its prototypes name");
}

void Registry::check_complete(Entity entity) const {
  if (missing_ == 0) return;
  for (const PoolId pool : index_.prototypes().pools(index_.entities().prototype(entity.index)))
    if (!pools_[pool]->contains(entity.index))
      misuse::incomplete_entity("destroying", entity, pools_[pool]->instance_name());
}

void Registry::assign_prototypes(const EntityBatch& batch, std::span<const PrototypeId> prototypes) noexcept {
  const std::uint32_t count = batch.count();
  for (std::uint32_t i = 0; i < count;) {
    const PrototypeId prototype = prototypes[i];
    const std::uint32_t begin = i;
    for (; i < count && prototypes[i] == prototype; ++i)
      index_.entities().prototype_place(batch.at(i).index).change(empty_prototype, prototype);
    index_.prototypes().retain(prototype, i - begin);
  }
}

// Rows are checked at both ends: to check each takes as long as to add it.
void Registry::check_column(const EntityBatch& batch, const Pool& pool, std::span<const std::uint32_t> offsets) const {
  if (offsets.empty()) return;
  const std::uint32_t first = offsets.front();
  const std::uint32_t last = offsets.back();
  MOBULA_CHECK(first <= last && last < batch.count() && offsets.size() - 1 <= last - first,
               "the offsets of column " + pool.instance_name() + " do not ascend, or lie outside of the spawn");
  MOBULA_ASSERT(std::ranges::adjacent_find(offsets, std::greater_equal()) == offsets.end(), "offsets ascend");
  const auto is_named = [&](std::uint32_t offset) {
    return index_.prototypes().contains(index_.entities().prototype(batch.at(offset).index), pool.id());
  };
  const auto is_there = [&](std::uint32_t offset) { return pool.contains(batch.at(offset).index); };
  MOBULA_CHECK(is_named(first) && is_named(last) && offsets.size() <= missing_,
               "the prototypes of a spawn do not name component " + pool.instance_name());
  MOBULA_CHECK(!is_there(first) && !is_there(last), "a spawn has two columns of component " + pool.instance_name());
  MOBULA_ASSERT(std::ranges::all_of(offsets, is_named), "each prototype names component " + pool.instance_name());
}

void Registry::add_column(const EntityBatch& batch, PoolId id, std::span<const std::uint32_t> offsets,
                          const std::byte* rows) {
  Pool& pool = this->pool(id);
  check_column(batch, pool, offsets);
  if (pool.watch() != nullptr)
    for (GroupSet* group : pool.watch()->groups) group->make_room(batch, offsets);
  pool.append_rows(batch, offsets, rows);
  missing_ -= offsets.size();
}

// The receivers are determined before the first listener is called: listeners may add further components, which emit
// on their own, and destroy spawned entities.
void Registry::end_spawn(const EntityBatch& batch) {
  if (!watched_ && created_.empty()) return;
  struct Emission {
    Signal* signal;
    std::size_t begin;  // first of its entities in `notified`
    std::size_t end;
  };
  std::vector<Emission> all;
  core::Undo undo([&] { undo_spawn(batch); });
  EntityList own(lists_);
  std::vector<Entity>& notified = own.entities;
  if (!created_.empty()) {
    for (std::uint32_t i = 0; i < batch.count(); ++i) notified.push_back(batch.at(i));
    all.push_back({&created_, 0, notified.size()});
  }
  for (PoolId id = 0; id < pool_count(); ++id) {
    PoolWatch* const watch = pools_[id]->watch();
    if (watch == nullptr || watch->signals.construct.empty()) continue;
    const std::size_t begin = notified.size();
    select(batch, id, notified);
    all.push_back({&watch->signals.construct, begin, notified.size()});
  }
  undo.dismiss();
  for (const core::Owned<GroupSet>& group : groups_) group->enter_all(batch);
  for (const Emission& emission : all) {
    const std::span<Entity> entities(notified.data() + emission.begin, notified.data() + emission.end);
    const auto dead = std::ranges::remove_if(entities, [this](Entity entity) { return !valid(entity); });
    emission.signal->emit({entities.begin(), dead.begin()});
  }
}

void Registry::undo_spawn(const EntityBatch& batch) noexcept {
  for (std::uint32_t i = 0; i < batch.count(); ++i) {
    const Entity entity = batch.at(i);
    if (!valid(entity)) continue;
    leave_groups(entity);
    for (const PoolId pool : index_.prototypes().pools(index_.destroy(entity))) {
      if (pools_[pool]->contains(entity.index)) {
        pools_[pool]->remove_held<0>(entity.index);
      } else {
        --missing_;
      }
    }
    drop_server_only(entity.index, occupied_pools_.size());
    journal_.make_room();  // reserved before, except for what a column's spawner has used
    journal_.note(JournalEntry::Kind::destroy, entity);
  }
}

// Appends the living entities with the component. Neighbours mostly share a prototype.
void Registry::select(const EntityBatch& batch, PoolId pool, std::vector<Entity>& selected) const {
  PrototypeId last = empty_prototype;
  bool has = false;
  for (std::uint32_t i = 0; i < batch.count(); ++i) {
    const Entity entity = batch.at(i);
    if (!valid(entity)) continue;
    const PrototypeId prototype = index_.entities().prototype(entity.index);
    if (prototype != last) has = index_.prototypes().contains(prototype, pool);
    last = prototype;
    if (has) selected.push_back(entity);
  }
}

}  // namespace mobula::ecs

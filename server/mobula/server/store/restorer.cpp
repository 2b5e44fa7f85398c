#include <algorithm>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/ecs/snapshot_layout.hpp>
#include <mobula/reflect/migration.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/server/store/restorer.hpp>
#include <mobula/server/store/sums.hpp>
#include <set>

namespace mobula::store {
namespace {

using reflect::Component;

// Rows of a saved table, migrated if the component has changed.
class MigratedRows {
 public:
  MigratedRows(const SavedTable& saved, const Component& to) : saved_(saved), migration_(saved.table.component(), to) {
    if (migration_.same()) return;
    const Component& from = saved.table.component();
    rows_.resize(saved.indices.size() * to.size);
    core::Bytes repaired(from.size);
    for (std::size_t i = 0; i < saved.indices.size(); ++i) {
      std::copy_n(saved.rows.data() + i * from.size, from.size, repaired.data());
      invalid_ += reflect::repair_values(from, repaired.data());
      repairs_.add(migration_.apply(repaired.data(), rows_.data() + i * to.size));
    }
  }

  [[nodiscard]] const std::byte* data() const { return migration_.same() ? saved_.rows.data() : rows_.data(); }
  [[nodiscard]] const reflect::Repairs& repairs() const { return repairs_; }
  [[nodiscard]] std::uint32_t invalid() const { return invalid_; }

 private:
  const SavedTable& saved_;
  reflect::Migration migration_;
  core::Bytes rows_;
  reflect::Repairs repairs_;
  std::uint32_t invalid_ = 0;
};

class Restorer {
 public:
  Restorer(const SavedWorld& world, const reflect::Schema& schema, ecs::Registry& registry)
      : world_(world), schema_(schema), registry_(registry) {}

  core::Result<Restored> run() {
    add_pools();
    add_prototypes();
    add_entities();
    const auto image =
        ecs::EntityPool::image_of(registry_.entities().config(), living_, elsewhere_, world_.ranges, room_);
    if (!image) return image.error();
    saved_.tick = world_.facts.tick + 1;  // the tick that runs next
    saved_.entities = *image;
    if (core::Status loaded = ecs::load_saved(std::move(saved_), registry_); !loaded) return loaded.error();
    return std::move(restored_);
  }

 private:
  // Adds a pool for each table whose component is still saved.
  void add_pools() {
    const bool schema_changed = world_.schema->fingerprint() != schema_.fingerprint();
    if (schema_changed) restored_.notes = reflect::differences(*world_.schema, schema_);
    migrated_.reserve(world_.tables.size());
    for (const SavedTable& table : world_.tables) {
      const Component* to = schema_.find(table.table.component().name);
      pool_of_.push_back(none);
      if (to == nullptr || to->not_saved) {
        note_dropped(table, to != nullptr);
        continue;
      }
      if (table.indices.empty()) continue;  // else each name ever used would remain a pool
      const MigratedRows& rows = migrated_.emplace_back(table, *to);
      note_repairs(table, rows);
      pool_of_.back() = static_cast<std::uint32_t>(saved_.pools.size());
      const std::string& instance = table.table.instance_name();
      saved_.pools.push_back(
          {{to->id.value, static_cast<std::uint32_t>(to->name.size()), static_cast<std::uint32_t>(instance.size()),
            to->size, static_cast<std::uint32_t>(table.indices.size())},
           to->name,
           instance,
           table.indices,
           rows.data()});
    }
  }

  void note_repairs(const SavedTable& table, const MigratedRows& rows) {
    const auto note = [&](std::uint32_t count, std::string_view what) {
      if (count > 0) restored_.notes.push_back(core::format("{}: {} {}", table.table.view(), count, what));
    };
    note(rows.invalid(),
         "values were invalid in their own schema and became the nearest valid ones, or their defaults");
    note(rows.repairs().nearest, "numbers were out of range and became the nearest in range");
    note(rows.repairs().lost, "values could not be converted and got their defaults");
  }

  void note_dropped(const SavedTable& table, bool exists) {
    if (!table.indices.empty())
      restored_.notes.push_back(core::format("{} of {} entities is {}", table.table.view(), table.indices.size(),
                                             exists ? "no longer saved" : "removed with its component"));
  }

  // Adds the prototypes in canonical order, each with all its prefixes, which are prototypes too.
  void add_prototypes() {
    std::set<std::int64_t> used;
    for (const SavedEntity& each : world_.entities) used.insert(each.composition);
    prototypes_.emplace(PoolsView{}, 0);
    for (const auto& [id, tables] : world_.compositions) {
      if (!used.contains(id)) continue;
      Pools pools;
      for (const std::uint32_t table : tables)
        if (pool_of_[table] != none) pools.push_back(pool_of_[table]);
      std::ranges::sort(pools, {}, [&](std::uint32_t pool) { return saved_.pools[pool].key(); });
      const PoolsView all = prototype_of_.emplace(id, std::move(pools)).first->second;
      for (std::size_t size = 1; size <= all.size(); ++size) prototypes_.emplace(all.first(size), 0);
    }
    for (auto& [pools, number] : prototypes_) {  // the first is the empty one
      number = static_cast<std::uint32_t>(saved_.prototypes.size());
      saved_.prototypes.push_back({pools});
    }
  }

  void add_entities() {
    std::map<std::int64_t, std::uint32_t> numbers;
    for (const auto& [id, pools] : prototype_of_) numbers.emplace(id, prototypes_.at(pools));
    living_.reserve(world_.entities.size());
    auto last = numbers.end();  // neighbours mostly share a prototype
    for (const SavedEntity& each : world_.entities) {
      if (each.composition == elsewhere) {
        elsewhere_.push_back({each.index, each.generation});
        continue;
      }
      if (last == numbers.end() || last->first != each.composition) last = numbers.find(each.composition);
      living_.push_back({{each.index, each.generation}, last->second});
    }
  }

  static constexpr std::uint32_t none = ~0u;
  using Pools = std::vector<std::uint32_t>;
  using PoolsView = std::span<const std::uint32_t>;
  struct Less {
    bool operator()(PoolsView a, PoolsView b) const { return std::ranges::lexicographical_compare(a, b); }
  };

  const SavedWorld& world_;
  const reflect::Schema& schema_;
  ecs::Registry& registry_;
  Restored restored_;
  ecs::SavedRegistry saved_;
  std::vector<MigratedRows> migrated_;
  std::vector<std::uint32_t> pool_of_;                   // by table; `none` if its component is not saved any more
  std::map<std::int64_t, Pools> prototype_of_;           // by composition
  std::map<PoolsView, std::uint32_t, Less> prototypes_;  // numbers of all prefixes of those
  std::vector<ecs::LivingEntity> living_;
  std::vector<ecs::Entity> elsewhere_;
  ecs::EntityPoolImageRoom room_;
};

}  // namespace

core::Result<Restored> restore_world(const SavedWorld& world, const reflect::Schema& schema, ecs::Registry& registry) {
  return Restorer(world, schema, registry).run();
}

}  // namespace mobula::store

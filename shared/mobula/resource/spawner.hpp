// Makes living entities of a resource: all of them at once as an index range, then each column at once,
// in spawn order, with parents and references turned into live handles.
//
// A Spawner binds one resource to one registry and checks there and then that they agree, so that
// spawning can fail only for want of indices, and nothing is ever half-applied. A resource that was compiled with an
// older schema is taken field by field, by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/schema/engine.hpp>
#include <string_view>
#include <vector>

namespace mobula::resource {

// What to do with an entity of a level that is spawned into a world where some of it lives already.
enum class SpawnChoice : std::uint8_t { leave, spawn };

// What a column's spawner is handed. Instance i belongs to entity(i).
struct SpawnColumn {
  ecs::Registry& registry;
  ecs::EntityBatch batch;
  const Column& column;
  ecs::PoolId pool;                             // schema components; else Registry::no_pool
  std::span<const std::uint32_t> entity_index;  // by instance; rising
  core::ByteView data;                          // the instances' bytes with live handles in them
  std::span<const SpawnChoice> choices;         // by entity of the batch; empty: all are spawned

  [[nodiscard]] std::uint32_t num_instances() const { return static_cast<std::uint32_t>(entity_index.size()); }
  [[nodiscard]] ecs::Entity entity(std::uint32_t instance) const { return batch.at(entity_index[instance]); }
  // False for entities that a reload leaves as they are: columns that are no schema components come whole.
  [[nodiscard]] bool is_new(std::uint32_t instance) const {
    return choices.empty() || choices[entity_index[instance]] == SpawnChoice::spawn;
  }
};

// Copies the column into its pool: what schema components get when nothing else is registered. A spawner
// of its own for a schema component must call it, because the prototypes say that the component is there.
void copy_column(const SpawnColumn& column);

// How the columns of one component type are checked and spawned.
struct ColumnSpawner {
  std::int32_t spawn_order = 0;
  // Whether the file's bytes are good, asked once when a resource is bound. Empty: always.
  std::function<core::Status(const Column&)> check;
  // May not spawn by the Spawner that calls it.
  std::function<void(const SpawnColumn&)> spawn;
};

// Spawners by component type. Columns of other types keep the file's spawn order and are copied if they are
// schema components.
class SpawnerTable {
 public:
  void add(std::string_view component_name, ColumnSpawner spawner);
  [[nodiscard]] const ColumnSpawner* find(core::StringId32 type) const;

 private:
  std::map<core::StringId32, ColumnSpawner> spawners_;
};

// What to do with columns that are neither schema components nor have a spawner. (Components that the registry's schema
// has dropped are left out, and noted, either way.)
enum class UnknownColumns { skip, refuse };

// Where a prefab is put: the Transforms of its roots are relative to this one.
using Placement = engine::Transform;

class Spawner {
 public:
  // `schema` is the registry's, whose component types must be registered. The table is copied.
  // Reasons: "unknown component", "invalid", and those of Registry::open_pool.
  static core::Result<Spawner> bind(ecs::Registry& registry, const reflect::Schema& schema,
                                    std::shared_ptr<const Resource> resource, const SpawnerTable& table = {},
                                    UnknownColumns unknown = UnknownColumns::skip);

  // All of these fail with "too many entities" and then have changed nothing. What they made goes as a unit by
  // Registry::destroy_range.
  // A level without entities gives an empty range.
  core::Result<ecs::EntityRange> spawn_level();
  // Some of it, at any free indices. Both by entity: `entities` has those that are there already, or null, and gets
  // those that are made. References go to either.
  core::Status spawn_part(std::span<ecs::Entity> entities, std::span<const SpawnChoice> choices);
  // References of the entities that were left: what still is before[i] becomes entities[i].
  void repoint(std::span<const ecs::Entity> entities, std::span<const ecs::Entity> before,
               std::span<const SpawnChoice> choices);
  // Also "unknown prefab".
  core::Result<ecs::EntityRange> spawn_prefab(core::StringId32 name, const Placement* placement = nullptr);
  core::Result<ecs::EntityRange> spawn_prefab(std::string_view name, const Placement* placement = nullptr) {
    return spawn_prefab(core::StringId32(name), placement);
  }
  // One prefab many times, at once: the range holds one instance after another, each of as many entities.
  core::Result<ecs::EntityRange> spawn_prefabs(core::StringId32 name, std::span<const Placement> placements);

  [[nodiscard]] const Resource& resource() const { return *resource_; }
  // What people should know: how an older schema differs, and how many values the new one could not hold.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct BoundColumn {
    const Column* column;
    const ColumnSpawner* spawner;  // null: copy_column
    ecs::PoolId pool;
    std::uint32_t row_size = 0;  // of schema components
    core::ByteView data;         // the column's, or what a migration made of it
    std::vector<Reference> references;
    bool places = false;  // Transforms, which a placement moves
  };
  // A level or prefab with the registry's ids put in.
  struct Bound {
    const EntityResource* source = nullptr;
    std::vector<ecs::PrototypeId> prototype_of;  // by entity
    std::vector<BoundColumn> columns;            // in spawn order
  };
  class Binder;

  Spawner(ecs::Registry& registry, std::shared_ptr<const Resource> resource, const SpawnerTable& table);
  [[nodiscard]] const Bound* find_prefab(core::StringId32 name) const;
  static core::Error unknown_prefab(core::StringId32 name);
  core::Result<ecs::EntityRange> spawn(const Bound& bound, std::uint32_t copies, std::span<const Placement> placements);
  template <class Columns>
  void fill(const ecs::EntityBatch& batch, Columns&& add_columns);
  void fill_part(std::span<const ecs::Entity> made, std::span<ecs::Entity> entities,
                 std::span<const SpawnChoice> choices);
  void spawn_column(const Bound& bound, const BoundColumn& each, const ecs::EntityBatch& batch, std::uint32_t copies,
                    std::span<const Placement> placements);
  void spawn_part_of_column(const BoundColumn& each, std::span<const ecs::Entity> entities,
                            std::span<const SpawnChoice> choices);

  ecs::Registry* registry_;
  std::shared_ptr<const Resource> resource_;
  std::shared_ptr<const SpawnerTable> table_;
  ecs::HeldPrototypes prototypes_;  // of all that is bound
  Bound level_;
  std::map<core::StringId32, Bound> prefabs_;
  std::vector<std::string> notes_;
  std::vector<core::Bytes> migrated_;  // columns of an older schema, as this one has them
  // Scratch of spawning: columns in which something differs from the file's, and prototypes and indices of many copies.
  core::Bytes rows_;
  std::vector<std::uint32_t> indices_;
  std::vector<ecs::PrototypeId> kinds_;
};

}  // namespace mobula::resource

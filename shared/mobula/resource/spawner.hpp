// Spawns the entities of a resource: first all of them as one index range, then each column in one piece, in spawn
// order. Parents and references become live handles. A Spawner binds one resource to one registry and checks that they
// match. So spawning fails only for lack of indices, and is never half-applied. A resource compiled with an older
// schema is migrated field by field, by name.
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

/// Action for an entity of a level that is spawned into a world where a part of it exists.
enum class SpawnChoice : std::uint8_t { leave, spawn };

/// Arguments of a column's spawner. Instance i belongs to entity(i).
struct SpawnColumn {
  ecs::Registry& registry;
  ecs::EntityBatch batch;
  const Column& column;
  ecs::PoolId pool;                             // schema components; else Registry::no_pool
  std::span<const std::uint32_t> entity_index;  // by instance; rising
  core::ByteView data;                          // bytes of the instances, with live handles
  std::span<const SpawnChoice> choices;         // by entity of the batch; empty if all are spawned

  [[nodiscard]] std::uint32_t num_instances() const { return static_cast<std::uint32_t>(entity_index.size()); }
  [[nodiscard]] ecs::Entity entity(std::uint32_t instance) const { return batch.at(entity_index[instance]); }
  /// Returns false for entities that a reload keeps: columns that are not schema components are passed completely.
  [[nodiscard]] bool is_new(std::uint32_t instance) const {
    return choices.empty() || choices[entity_index[instance]] == SpawnChoice::spawn;
  }
};

/// Copies a column into its pool: the default for schema components. A custom spawner of a schema component must call
/// it, because the prototypes contain the component.
void copy_column(const SpawnColumn& column);

/// Functions that check and spawn the columns of one component type.
struct ColumnSpawner {
  std::int32_t spawn_order = 0;
  // Checks the file's bytes once, when a resource is bound. Empty if no check is needed.
  std::function<core::Status(const Column&)> check;
  // Must not spawn through the Spawner that calls it.
  std::function<void(const SpawnColumn&)> spawn;
};

/// Spawners by component type. Columns of other types are spawned in the order of the file, and copied if they are
/// schema components.
class SpawnerTable {
 public:
  /// Adds a spawner. Checks that the component has none yet.
  void add(std::string_view component_name, ColumnSpawner spawner);
  /// Returns the spawner of a component; null if it has none.
  [[nodiscard]] const ColumnSpawner* find(core::StringId32 type) const;

 private:
  std::map<core::StringId32, ColumnSpawner> spawners_;
};

/// Treatment of columns that are neither schema components nor have a spawner. Components that the registry's schema
/// has dropped are always skipped and noted.
enum class UnknownColumns { skip, refuse };

/// Placement of a prefab: the Transforms of its roots are relative to it. Its rotation has length 1, within 0.5%.
using Placement = engine::Transform;

class Spawner {
 public:
  /// Binds a resource. `schema` is the registry's, and its component types must be registered. The table is copied.
  /// Errors: "unknown component", "invalid", and those of Registry::open_pool.
  static core::Result<Spawner> bind(ecs::Registry& registry, const reflect::Schema& schema,
                                    std::shared_ptr<const Resource> resource, const SpawnerTable& table = {},
                                    UnknownColumns unknown = UnknownColumns::skip);

  /// Spawns the level. Errors of all spawn functions: "too many entities"; nothing has changed then. The result is
  /// removed as a unit by Registry::destroy_range. A level without entities gives an empty range.
  core::Result<ecs::EntityRange> spawn_level();
  /// Spawns a part of the level at free indices. Both spans are by entity. `entities` holds existing handles or null,
  /// and receives the new ones. References resolve to either.
  core::Status spawn_part(std::span<ecs::Entity> entities, std::span<const SpawnChoice> choices);
  /// Spawns the first `count` entities of the level with handles that another world has given them. References to the
  /// others become their handles, whatever these denote. Errors: "handle in use".
  core::Status receive(std::span<const ecs::Entity> entities, std::size_t count);
  /// Updates references of the kept entities: those that still are before[i] become entities[i].
  void repoint(std::span<const ecs::Entity> entities, std::span<const ecs::Entity> before,
               std::span<const SpawnChoice> choices);
  /// Spawns a prefab. Errors: also "unknown prefab".
  core::Result<ecs::EntityRange> spawn_prefab(core::StringId32 name, const Placement* placement = nullptr);
  core::Result<ecs::EntityRange> spawn_prefab(std::string_view name, const Placement* placement = nullptr) {
    return spawn_prefab(core::StringId32(name), placement);
  }
  /// Spawns a prefab once per placement. The range holds one instance after another, of equal size.
  core::Result<ecs::EntityRange> spawn_prefabs(core::StringId32 name, std::span<const Placement> placements);

  [[nodiscard]] const Resource& resource() const { return *resource_; }
  /// Returns notes for the operator: differences of an older schema, and the number of values that the new one cannot
  /// hold.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct BoundColumn {
    const Column* column;
    const ColumnSpawner* spawner;  // null for copy_column
    ecs::PoolId pool;
    std::uint32_t row_size = 0;  // 0 unless it is a schema component
    core::ByteView data;         // data of the column, or migrated
    std::vector<Reference> references;
    bool places = false;  // Transforms, to which placements apply
  };
  // A level or prefab with the registry's ids.
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
  ecs::HeldPrototypes prototypes_;  // prototypes in use
  Bound level_;
  std::map<core::StringId32, Bound> prefabs_;
  std::vector<std::string> notes_;
  std::vector<core::Bytes> migrated_;  // migrated columns of an older schema
  // Scratch memory of spawning: modified columns, and prototypes and indices of many copies.
  core::Bytes rows_;
  std::vector<std::uint32_t> indices_;
  std::vector<ecs::PrototypeId> kinds_;
};

}  // namespace mobula::resource

// Makes living entities of a resource: all of them at once as an index range, then each column at once,
// in spawn order, with parents and references turned into live handles.
//
// A Spawner binds one resource to one registry and checks there and then that they agree, so that
// spawning can fail only for want of indices, and nothing is ever half-applied.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/resource/resource.hpp>
#include <string_view>
#include <vector>

namespace mobula::resource {

// What a column's spawner is handed. Instance i belongs to entity(i).
struct SpawnColumn {
  ecs::Registry& registry;
  ecs::EntityRange range;
  const Column& column;
  ecs::PoolId pool;     // schema components; else Registry::no_pool
  core::ByteView data;  // the column's data with live handles in it

  [[nodiscard]] std::uint32_t num_instances() const { return column.num_instances; }
  [[nodiscard]] ecs::Entity entity(std::uint32_t instance) const { return range.at(column.entity_index[instance]); }
};

// Copies the column into its pool: what schema components get when nothing else is registered. A spawner
// of its own for a schema component must call it, because the prototypes say that the component is there.
void copy_column(const SpawnColumn& column);

// How the columns of one component type are checked and spawned.
struct ColumnSpawner {
  std::int32_t spawn_order = 0;
  // Whether the raw bytes are good, asked once when a resource is bound. Empty: always.
  std::function<core::Status(const Column&)> check;
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

// What to do with columns that are neither schema components nor have a spawner.
enum class UnknownColumns { skip, refuse };

class Spawner {
 public:
  // `schema` is the registry's, whose component types must be registered. The table is copied.
  // Reasons: "other schema", "unknown component", "invalid", and those of Registry::open_pool.
  static core::Result<Spawner> bind(ecs::Registry& registry, const reflect::Schema& schema,
                                    std::shared_ptr<const Resource> resource, const SpawnerTable& table = {},
                                    UnknownColumns unknown = UnknownColumns::skip);

  // Reason: "too many entities". A level without entities gives an empty range.
  core::Result<ecs::EntityRange> spawn_level();
  // Also "unknown prefab".
  core::Result<ecs::EntityRange> spawn_prefab(core::StringId32 name);
  core::Result<ecs::EntityRange> spawn_prefab(std::string_view name) { return spawn_prefab(core::StringId32(name)); }

  [[nodiscard]] const Resource& resource() const { return *resource_; }

 private:
  struct BoundColumn {
    const Column* column;
    const ColumnSpawner* spawner;  // null: copy_column
    ecs::PoolId pool;
  };
  // A level or prefab with the registry's ids put in.
  struct Bound {
    const EntityResource* source = nullptr;
    std::vector<ecs::PrototypeId> prototype_of;  // by entity
    std::vector<BoundColumn> columns;            // in spawn order
  };

  Spawner(ecs::Registry& registry, std::shared_ptr<const Resource> resource, const SpawnerTable& table);
  core::Result<Bound> bind_resource(const EntityResource& source, UnknownColumns unknown);
  core::Result<ecs::EntityRange> spawn(const Bound& bound);

  ecs::Registry* registry_;
  std::shared_ptr<const Resource> resource_;
  std::shared_ptr<const SpawnerTable> table_;
  ecs::HeldPrototypes prototypes_;  // of all that is bound
  Bound level_;
  std::map<core::StringId32, Bound> prefabs_;
  core::Bytes scratch_;  // columns whose references are being patched
};

}  // namespace mobula::resource

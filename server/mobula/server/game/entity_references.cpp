#include <mobula/schema/engine.hpp>
#include <mobula/server/game/entity_references.hpp>
#include <utility>
#include <vector>

namespace mobula::server {
namespace {

// Returns the offsets of all entities in a component, elements of arrays included.
std::vector<std::uint32_t> offsets_of_entities(const reflect::Component& component) {
  std::vector<std::uint32_t> offsets;
  for (const reflect::Field& field : component.fields) {
    if (field.kind != reflect::FieldKind::entity) continue;
    for (std::uint32_t i = 0; i < field.count; ++i) offsets.push_back(field.offset + i * field.stride);
  }
  return offsets;
}

bool is_hierarchys(const ecs::Pool& pool) {
  return pool.type().name == engine::Parent::component_name && pool.instance_name() == engine::Parent::component_name;
}

bool is_removed(const LevelChange& change, ecs::Entity entity) { return change.follow(entity) != entity; }

void follow_in(ecs::Registry& registry, ecs::PoolId id, std::span<const std::uint32_t> offsets,
               const LevelChange& change) {
  const ecs::Pool& pool = std::as_const(registry).pool(id);
  for (std::uint32_t position = 0; position < pool.size(); ++position) {
    for (const std::uint32_t offset : offsets) {
      const auto named = core::load<ecs::Entity>(pool.at(position) + offset);
      if (!named || !is_removed(change, named)) continue;
      const ecs::Entity owner = registry.entities().at(pool.indices()[position]);
      if (!is_removed(change, owner)) core::store(registry.try_write(owner, id) + offset, change.follow(named));
    }
  }
}

}  // namespace

void follow_references(ecs::Registry& registry, const reflect::Schema& schema, const LevelChange& change) {
  if (change.removed.empty()) return;
  for (ecs::PoolId id = 0; id < registry.pool_count(); ++id) {
    const ecs::Pool& pool = std::as_const(registry).pool(id);
    const reflect::Component* const component = pool.is_schema() ? schema.find(pool.type().id) : nullptr;
    if (component == nullptr || is_hierarchys(pool)) continue;
    const std::vector<std::uint32_t> offsets = offsets_of_entities(*component);
    if (!offsets.empty()) follow_in(registry, id, offsets, change);
  }
}

}  // namespace mobula::server

#include <examples/demo/poses.hpp>
#include <mobula/schema/components.hpp>
#include <vector>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::ecs::exclude;
using mobula::engine::Transform;
using mobula::hierarchy::WorldTransform;
using mobula::server::Ghost;

// Components are written only where they change: a write is published.
void show(mobula::ecs::Registry& registry, Entity entity, const Pose& pose, const Transform& transform) {
  const Transform& shown = registry.get<const ShownPose>(entity).transform;
  if (transform != shown) return pose_as_placed(registry, entity);
  const Transform wanted{pose.position, pose.rotation};
  if (wanted == shown) return;
  registry.get<Transform>(entity) = wanted;
  registry.get<ShownPose>(entity).transform = wanted;
}

// Returns the place of an entity's parent; null if it has none with a place.
const WorldTransform* parent_place(const mobula::ecs::Registry& registry, Entity entity) {
  const auto* const parent = registry.try_get<const mobula::engine::Parent>(entity);
  return parent != nullptr ? registry.try_get<const WorldTransform>(parent->entity) : nullptr;
}

void carry(mobula::server::World& world) {
  mobula::ecs::Registry& registry = world.registry();
  std::vector<Entity> carried;
  registry.view<const Pose, const mobula::engine::Parent>(exclude<Ghost>)
      .each([&](Entity entity, const Pose&, const mobula::engine::Parent&) { carried.push_back(entity); });
  if (!carried.empty()) world.hierarchy().update();
  for (const Entity entity : carried) {
    const WorldTransform* const place = parent_place(registry, entity);
    if (place == nullptr) continue;
    if (registry.try_get<const Carrier>(entity) == nullptr) registry.add<Carrier>(entity);
    const Carrier& now = registry.get<const Carrier>(entity);
    if (now.position != place->position || now.rotation != place->rotation)
      registry.get<Carrier>(entity) = {place->position, place->rotation};
  }
  std::vector<Entity> landed;
  registry.view<const Carrier>(exclude<Ghost>).each([&](Entity entity, const Carrier&) {
    if (parent_place(registry, entity) == nullptr) landed.push_back(entity);
  });
  for (const Entity entity : landed) registry.remove<Carrier>(entity);
}

}  // namespace

void show_poses(mobula::server::World& world) {
  mobula::ecs::Registry& registry = world.registry();
  std::vector<Entity> unknown;  // new ones, and those of a restored world
  registry.view<const Pose, const Transform>(exclude<ShownPose, Ghost>)
      .each([&](Entity entity, const Pose&, const Transform&) { unknown.push_back(entity); });
  for (const Entity entity : unknown) pose_as_placed(registry, entity);
  registry.view<const Pose, const Transform>(exclude<Ghost>)
      .each([&](Entity entity, const Pose& pose, const Transform& transform) {
        show(registry, entity, pose, transform);
      });
  carry(world);
}

void pose_as_placed(mobula::ecs::Registry& registry, Entity entity) {
  const Transform placed = registry.get<const Transform>(entity);
  if (registry.try_get<const ShownPose>(entity) == nullptr) registry.add<ShownPose>(entity);
  registry.get<ShownPose>(entity).transform = placed;
  registry.get<Pose>(entity) = {placed.position, placed.rotation};
}

}  // namespace demo

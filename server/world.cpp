#include <algorithm>
#include <mobula/schema/engine.hpp>
#include <mobula/server/world.hpp>

namespace mobula::server {

core::Result<std::unique_ptr<World>> World::make(WorldConfig config) {
  std::unique_ptr<World> world(new World(std::move(config)));
  if (core::Status registered = reflect::register_components(world->registry_, *world->config_.schema); !registered)
    return registered.error();
  if (world->config_.level != nullptr) {
    core::Result<resource::Spawner> spawner =
        resource::Spawner::bind(world->registry_, *world->config_.schema, world->config_.level);
    if (!spawner) return spawner.error();
    world->spawner_.emplace(std::move(*spawner));
  }
  return world;
}

core::Status World::spawn_level() {
  if (!spawner_) return core::Done{};
  const core::Result<ecs::EntityRange> spawned = spawner_->spawn_level();
  if (!spawned) return spawned.error();
  return core::Done{};
}

core::Result<ecs::Entity> World::spawn(std::string_view prefab) {
  if (!spawner_) return core::Error{"unknown prefab", "without a level there are no prefabs"};
  const core::Result<ecs::EntityRange> spawned = spawner_->spawn_prefab(prefab);
  if (!spawned) return spawned.error();
  return spawned->at(0);
}

void World::destroy_tree(ecs::Entity root) {
  std::vector<ecs::Entity> tree{root};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    registry_.view<const engine::Parent>().each([&](ecs::Entity child, const engine::Parent& parent) {
      if (parent.entity == tree[next] && std::find(tree.begin(), tree.end(), child) == tree.end())
        tree.push_back(child);
    });
  }
  for (const ecs::Entity entity : tree) registry_.destroy(entity);
}

void World::end_tick() {
  registry_.clear_journal();
  registry_.set_tick(registry_.tick() + 1);
}

}  // namespace mobula::server

#include <examples/demo/sight.hpp>
#include <mobula/schema/components.hpp>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::server::Relevance;

template <class Kind>
void place_in(SightLayer layer, mobula::ecs::Registry& registry) {
  std::vector<Entity> placeless;
  registry.view<const Kind>(mobula::ecs::exclude<Relevance>).each([&](Entity entity, const Kind&) {
    placeless.push_back(entity);
  });
  for (const Entity entity : placeless) registry.add<Relevance>(entity).layer = layer;
}

}  // namespace

std::vector<mobula::server::Layer> sight_layers() {
  return {{"scenery", 120}, {"creatures", 80}, {"small things", 40}};
}

void add_sight(mobula::ecs::Schedule& schedule, mobula::server::World& world) {
  const auto place_all = [&world](const mobula::ecs::SystemContext&) {
    place_in<Wander>(creatures, world.registry());
    place_in<Patrol>(creatures, world.registry());
    place_in<Pickup>(small_things, world.registry());
  };
  schedule.add("sight", schedule.add_phase("sight"), place_all);
}

}  // namespace demo

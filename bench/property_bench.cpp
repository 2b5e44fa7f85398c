// One property of many entities in random order: by a resolved reference, and by name each time. Each entity has five
// components, Fog among them. ns_per_entity is the time of one get or set.
#include <mobula/index/properties.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>

#include "ecs_world.hpp"

namespace {

using namespace mobula;

struct PropertyWorld {
  std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  ecs::Registry registry;
  index::NameTable names;
  index::Properties properties{registry, *schema, names};
  std::vector<ecs::Entity> entities;

  explicit PropertyWorld(const benchmark::State& state) : entities(static_cast<std::size_t>(state.range(0))) {
    static_cast<void>(reflect::register_components(registry, *schema));
    const ecs::PoolId fog = registry.pool_of<demo::RenderData>("Fog");
    registry.create(std::span(entities), engine::Transform{}, demo::Health{}, demo::Team{}, demo::Velocity{});
    for (const ecs::Entity entity : entities) registry.add<demo::RenderData>(entity, {}, fog);
    bench::shuffle(entities);
  }
  [[nodiscard]] index::PropertyRef density() const { return *properties.resolve(entities.front(), "Fog", "density"); }
};

void property_get(benchmark::State& state) {
  const PropertyWorld world(state);
  const index::PropertyRef density = world.density();
  for (auto _ : state) {
    float sum = 0;
    for (const ecs::Entity entity : world.entities) sum += *world.properties.get<float>(entity, density);
    benchmark::DoNotOptimize(sum);
  }
  bench::report(state);
}

void property_set(benchmark::State& state) {
  PropertyWorld world(state);
  const index::PropertyRef density = world.density();
  float value = 0;
  for (auto _ : state) {
    value = value == 0 ? 0.5f : 0;
    bool all = true;
    for (const ecs::Entity entity : world.entities) all = world.properties.set(entity, density, value).ok() && all;
    benchmark::DoNotOptimize(all);
  }
  bench::report(state);
}

void property_get_by_name(benchmark::State& state) {
  const PropertyWorld world(state);
  for (auto _ : state) {
    float sum = 0;
    for (const ecs::Entity entity : world.entities) sum += *world.properties.get<float>(entity, "Fog", "density");
    benchmark::DoNotOptimize(sum);
  }
  bench::report(state);
}

BENCHMARK(property_get)->Name("index/property_get")->Arg(40000)->Arg(1000000);
BENCHMARK(property_set)->Name("index/property_set")->Arg(40000)->Arg(1000000);
BENCHMARK(property_get_by_name)->Name("index/property_get_by_name")->Arg(40000)->Arg(1000000);

}  // namespace

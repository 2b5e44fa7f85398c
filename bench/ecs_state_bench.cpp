// Operations on full pools: sorting, defragmenting, snapshots.
#include <mobula/core/random.hpp>
#include <mobula/ecs/locality.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/ecs/sort.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

void sort_by_health(World& world) {
  ecs::sort_by<Health>(*world.registry, [](const Health& health) { return health.a; });
}

void draw_health(World& world, core::Random& random, std::uint32_t one_in) {
  world.registry->view<Health>().each([&](Health& health) {
    if (random.chance(1, one_in)) health.a = static_cast<int>(random.below(1u << 31));
  });
}

void sort_random(benchmark::State& state) {
  World world = make_world(state);
  core::Random random(1);
  for (auto _ : state) {
    state.PauseTiming();
    draw_health(world, random, 1);
    state.ResumeTiming();
    sort_by_health(world);
  }
  report(state);
}

// One entity in a hundred has a new key since the last sort.
void sort_nearly(benchmark::State& state) {
  World world = make_world(state);
  core::Random random(1);
  draw_health(world, random, 1);
  sort_by_health(world);
  for (auto _ : state) {
    state.PauseTiming();
    draw_health(world, random, 100);
    state.ResumeTiming();
    sort_by_health(world);
  }
  report(state);
}

// Ten operations per entity: half destroy one and create another, half remove Velocity and add it again later.
void churn(World& world, core::Random& random) {
  ecs::Registry& registry = *world.registry;
  const auto count = static_cast<std::uint32_t>(world.entities.size());
  for (std::uint32_t i = 0; i < 10 * count; ++i) {
    ecs::Entity& entity = world.entities[random.below(count)];
    if (random.chance(1, 2)) {
      registry.destroy(entity);
      entity = registry.create();
      registry.add<Position>(entity);
      registry.add<Velocity>(entity);
    } else if (registry.has<Velocity>(entity)) {
      registry.remove<Velocity>(entity);
    } else {
      registry.add<Velocity>(entity);
    }
  }
  for (const ecs::Entity entity : world.entities)
    if (!registry.has<Velocity>(entity)) registry.add<Velocity>(entity);
  registry.clear_journal();
}

void report_iteration(benchmark::State& state, const World& world) {
  ecs::Registry& registry = *world.registry;
  for (auto _ : state) {
    registry.view<Position, const Velocity>().each(move);
    benchmark::ClobberMemory();
  }
  report(state);
  state.counters["locality"] = ecs::locality(registry.pool<Position>().set(), registry.pool<Velocity>());
}

void iterate2_churned(benchmark::State& state) {
  World world = make_world(state);
  core::Random random(1);
  churn(world, random);
  report_iteration(state, world);
}

void iterate2_defragmented(benchmark::State& state) {
  World world = make_world(state);
  core::Random random(1);
  churn(world, random);
  ecs::Registry& registry = *world.registry;
  ecs::Defragmenter defragmenter(registry, registry.pool_of<Position>(), {registry.pool_of<Velocity>()});
  std::uint32_t moves = 0;
  while (defragmenter.rounds() < 2) moves += defragmenter.defragment(10'000);
  report_iteration(state, world);
  state.counters["moves_per_entity"] = static_cast<double>(moves) / static_cast<double>(state.range(0));
}

void snapshot_save(benchmark::State& state) {
  const World world = make_world(state);
  core::Bytes bytes;
  for (auto _ : state) {
    ecs::save_snapshot(*world.registry, bytes);
    benchmark::ClobberMemory();
  }
  report(state);
  state.counters["bytes_per_entity"] = static_cast<double>(bytes.size()) / static_cast<double>(state.range(0));
}

void snapshot_load(benchmark::State& state) {
  core::Bytes bytes;
  ecs::save_snapshot(*make_world(state).registry, bytes);
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<ecs::Registry>& registry) {
    if (!ecs::load_snapshot(bytes, *registry).ok()) state.SkipWithError("the snapshot is refused");
  });
}

BENCHMARK(sort_random)->Name("ecs/sort_random")->Apply(sizes);
BENCHMARK(sort_nearly)->Name("ecs/sort_nearly")->Apply(sizes);
BENCHMARK(iterate2_churned)->Name("ecs/iterate2_churned")->Apply(sizes);
BENCHMARK(iterate2_defragmented)->Name("ecs/iterate2_defragmented")->Apply(sizes);
BENCHMARK(snapshot_save)->Name("ecs/snapshot_save")->Apply(sizes);
BENCHMARK(snapshot_load)->Name("ecs/snapshot_load")->Apply(sizes);

}  // namespace
}  // namespace mobula::bench

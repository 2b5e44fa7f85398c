// Entity index without component data: the work of every add, remove and look-up by name. The compositions are those of
// the entity index table: 75 of 1 to 11 components drawn from 48 names.
#include <algorithm>

#include "ecs_world.hpp"
#include "entity_index/mobula_index.hpp"

namespace mobula::bench {
namespace {

using ecs::Entity;
using ecs::EntityIndex;

struct IndexWorld {
  IndexWorld() {
    for (const Component& component : workload.components()) index.add_pool(component.name.value);
    for (std::uint32_t i = 0; i < workload.config().compositions; ++i) {
      std::vector<ecs::PoolId> pools;
      for (const Component& component : workload.composition(i)) pools.push_back(component.manager);
      compositions.push_back(pools);
      ready.push_back(index.prototypes().intern(pools));
    }
  }

  [[nodiscard]] std::uint32_t draw() { return random.below(static_cast<std::uint32_t>(compositions.size())); }

  Workload workload;
  core::Random random{1};
  EntityIndex index;
  std::vector<std::vector<ecs::PoolId>> compositions;
  std::vector<ecs::PrototypeId> ready;
};

// Draws the compositions off the clock.
template <class Make>
void make_entities(benchmark::State& state, Make make) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      IndexWorld world;
      std::vector<std::uint32_t> drawn(static_cast<std::size_t>(state.range(0)));
      std::generate(drawn.begin(), drawn.end(), [&] { return world.draw(); });
      state.ResumeTiming();
      for (const std::uint32_t composition : drawn) make(world, composition);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  report(state);
}

void register_one_by_one(benchmark::State& state) {
  make_entities(state, [](IndexWorld& world, std::uint32_t composition) {
    const Entity entity = world.index.create();
    for (const ecs::PoolId pool : world.compositions[composition]) world.index.add(entity, pool);
  });
}

void register_list(benchmark::State& state) {
  make_entities(state, [](IndexWorld& world, std::uint32_t composition) {
    world.index.add(world.index.create(), world.compositions[composition]);
  });
}

void assign_cached(benchmark::State& state) {
  make_entities(state, [](IndexWorld& world, std::uint32_t composition) {
    benchmark::DoNotOptimize(world.index.create(world.ready[composition]));
  });
}

struct Query {
  Entity entity;
  core::StringId32 name;
};

// Draws as many queries as there are entities, each of another entity, in random order.
std::vector<Query> draw_queries(IndexWorld& world, std::int64_t count, bool hits) {
  std::vector<Query> queries;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t composition = world.draw();
    const Entity entity = world.index.create(world.ready[composition]);
    const std::vector<ecs::PoolId>& pools = world.compositions[composition];
    ecs::PoolId asked = pools[world.random.below(static_cast<std::uint32_t>(pools.size()))];
    while (!hits && std::ranges::count(pools, asked) > 0)
      asked = world.random.below(static_cast<std::uint32_t>(world.workload.components().size()));
    queries.push_back({entity, world.index.prototypes().name(asked)});
  }
  for (std::size_t i = queries.size(); i > 1; --i)
    std::swap(queries[i - 1], queries[world.random.below(static_cast<std::uint32_t>(i))]);
  return queries;
}

void look_up(benchmark::State& state, bool hits) {
  IndexWorld world;
  const std::vector<Query> queries = draw_queries(world, state.range(0), hits);
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (const Query& query : queries) sum += world.index.find(query.entity, query.name);
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}

void hit(benchmark::State& state) { look_up(state, true); }
void miss(benchmark::State& state) { look_up(state, false); }

// Each query depends on the previous answer, so that they do not overlap.
void hit_dependent(benchmark::State& state) {
  IndexWorld world;
  const std::vector<Query> queries = draw_queries(world, state.range(0), true);
  for (auto _ : state) {
    std::uint32_t answer = 0;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Query& query = queries[at];
      answer = world.index.find(query.entity, query.name);
      at = static_cast<std::uint32_t>(i +
                                      (answer >> 31));  // no answer has that bit, but the next query must wait for it
    }
    benchmark::DoNotOptimize(answer);
  }
  report(state);
}

void live(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {40'000, 1'000'000}) benchmark->Arg(count);
  benchmark->Unit(benchmark::kMicrosecond);
}

BENCHMARK(register_one_by_one)->Name("index/register")->Apply(live);
BENCHMARK(register_list)->Name("index/register_list")->Apply(live);
BENCHMARK(assign_cached)->Name("index/assign_cached")->Apply(live);
BENCHMARK(hit)->Name("index/hit")->Apply(live);
BENCHMARK(miss)->Name("index/miss")->Apply(live);
BENCHMARK(hit_dependent)->Name("index/hit_dependent")->Apply(live);

}  // namespace
}  // namespace mobula::bench

// The registry through its public interface, marks on. Each benchmark reports ns_per_entity.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>
#include <vector>

namespace {

using mobula::ecs::Entity;
using mobula::ecs::Registry;

struct Position {
  float x = 0, y = 0, z = 0;
};
struct Velocity {
  float x = 1, y = 1, z = 1;
};
struct Health {
  int a = 1, b = 1;
};

void report(benchmark::State& state) {
  state.counters["ns_per_entity"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

std::vector<Entity> populate(Registry& registry, std::int64_t count) {
  std::vector<Entity> entities;
  for (std::int64_t i = 0; i < count; ++i) {
    const Entity entity = entities.emplace_back(registry.create());
    registry.add<Position>(entity);
    registry.add<Velocity>(entity);
    registry.add<Health>(entity);
  }
  registry.clear_journal();
  return entities;
}

void create3(benchmark::State& state) {
  for (auto _ : state) {
    Registry registry;
    benchmark::DoNotOptimize(populate(registry, state.range(0)));
  }
  report(state);
}

void iterate2(benchmark::State& state) {
  Registry registry;
  populate(registry, state.range(0));
  auto view = registry.view<Position, const Velocity>();
  for (auto _ : state) {
    view.each([](Entity, Position& position, const Velocity& velocity) {
      position.x += velocity.x;
      position.y += velocity.y;
      position.z += velocity.z;
    });
    benchmark::ClobberMemory();
  }
  report(state);
}

void get_shuffled(benchmark::State& state) {
  Registry registry;
  std::vector<Entity> entities = populate(registry, state.range(0));
  mobula::core::Random random(1);
  for (std::size_t i = entities.size(); i > 1; --i)
    std::swap(entities[i - 1], entities[random.below(static_cast<std::uint32_t>(i))]);
  for (auto _ : state) {
    float sum = 0;
    for (const Entity entity : entities) sum += registry.get<const Position>(entity).x;
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}

BENCHMARK(create3)->Name("ecs/create3")->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(iterate2)->Name("ecs/iterate2")->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(get_shuffled)->Name("ecs/get_shuffled")->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

}  // namespace

// Shared by the ECS benchmarks: three schema components, a registry of 64 pools with change ticks, and worlds of N
// entities. Each benchmark reports ns_per_entity.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <string_view>
#include <vector>

namespace mobula::bench {

struct Position {
  static constexpr std::string_view component_name = "Position";
  float x = 0, y = 0, z = 0;
};
struct Velocity {
  static constexpr std::string_view component_name = "Velocity";
  float x = 1, y = 1, z = 1;
};
struct Health {
  static constexpr std::string_view component_name = "Health";
  int a = 1, b = 1;
};

// 64 pools, no entities.
std::unique_ptr<ecs::Registry> make_registry();

struct World {
  std::unique_ptr<ecs::Registry> registry = make_registry();
  std::vector<ecs::Entity> entities;
};

// All entities with all three components, made in bulk.
World make_world(const benchmark::State& state);
// Position on all entities, Velocity on every n-th.
World make_sparse_world(const benchmark::State& state, std::int64_t every);
// Position and Velocity on all, added in different orders.
World make_shuffled_world(const benchmark::State& state);

void shuffle(std::vector<ecs::Entity>& entities);

// An object, not a function, so that iteration can inline it.
inline constexpr auto move = [](Position& position, const Velocity& velocity) {
  position.x += velocity.x;
  position.y += velocity.y;
  position.z += velocity.z;
};

// range(0) entities per iteration.
void report(benchmark::State& state);
// 10,000, 100,000 and 1,000,000 entities.
void sizes(benchmark::internal::Benchmark* benchmark);

// Runs `measured(world)` in each iteration on a world of its own, which is made and destroyed off the clock.
template <class Make, class Measured>
void on_fresh_worlds(benchmark::State& state, Make make, Measured measured) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      auto world = make();
      state.ResumeTiming();
      measured(world);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  report(state);
}

}  // namespace mobula::bench

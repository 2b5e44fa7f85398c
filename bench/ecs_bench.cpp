// The registry through its public interface: creating, destroying, iterating and looking up entities.
#include <cstring>
#include <mobula/ecs/registry.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

using ecs::Entity;
using ecs::Registry;

void create(benchmark::State& state) {
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<Registry>& registry) {
    for (std::int64_t i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(registry->create());
  });
}

void create3(benchmark::State& state) {
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<Registry>& registry) {
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const Entity entity = registry->create();
      registry->add<Position>(entity);
      registry->add<Velocity>(entity);
      registry->add<Health>(entity);
    }
  });
}

void create3_one_step(benchmark::State& state) {
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<Registry>& registry) {
    for (std::int64_t i = 0; i < state.range(0); ++i)
      benchmark::DoNotOptimize(registry->create(Position{}, Velocity{}, Health{}));
  });
}

void create3_bulk(benchmark::State& state) {
  std::vector<Entity> entities(static_cast<std::size_t>(state.range(0)));
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<Registry>& registry) {
    benchmark::DoNotOptimize(registry->create(entities, Position{}, Velocity{}, Health{}));
  });
}

// Bulk creates of one entity each.
void create3_bulk_of_one(benchmark::State& state) {
  on_fresh_worlds(state, make_registry, [&](std::unique_ptr<Registry>& registry) {
    Entity entity;
    for (std::int64_t i = 0; i < state.range(0); ++i)
      benchmark::DoNotOptimize(registry->create(std::span(&entity, 1), Position{}, Velocity{}, Health{}));
  });
}

World make_handles_shuffled(const benchmark::State& state) {
  World world = make_world(state);
  shuffle(world.entities);
  return world;
}

void destroy_one_by_one(World& world) {
  for (const Entity entity : world.entities) world.registry->destroy(entity);
}

void destroy3(benchmark::State& state) {
  on_fresh_worlds(state, [&] { return make_world(state); }, destroy_one_by_one);
}

void destroy3_shuffled(benchmark::State& state) {
  on_fresh_worlds(state, [&] { return make_handles_shuffled(state); }, destroy_one_by_one);
}

void add_remove(benchmark::State& state) {
  const World world = make_world(state);
  world.registry->remove<Health>(world.entities);
  for (auto _ : state) {
    for (const Entity entity : world.entities) world.registry->add<Health>(entity);
    for (const Entity entity : world.entities) world.registry->remove<Health>(entity);
    world.registry->clear_journal();
  }
  report(state);
}

// Iterates over a view or a group repeatedly.
template <class Range, class Function>
void iterate(benchmark::State& state, const Range& range, Function function) {
  for (auto _ : state) {
    range.each(function);
    benchmark::ClobberMemory();
  }
  report(state);
}

constexpr auto advance = [](Position& position) {
  position.x += 1;
  position.y += 1;
  position.z += 1;
};
constexpr auto move_and_hurt = [](Position& position, const Velocity& velocity, Health& health) {
  move(position, velocity);
  health.a -= 1;
};

void iterate1(benchmark::State& state) {
  const World world = make_world(state);
  iterate(state, world.registry->view<Position>(), advance);
}

void iterate2(benchmark::State& state) {
  const World world = make_world(state);
  iterate(state, world.registry->view<Position, const Velocity>(), move);
}

void iterate3(benchmark::State& state) {
  const World world = make_world(state);
  iterate(state, world.registry->view<Position, const Velocity, Health>(), move_and_hurt);
}

void iterate2_quarter(benchmark::State& state) {
  const World world = make_sparse_world(state, 4);
  iterate(state, world.registry->view<Position, const Velocity>(), move);
}

void iterate2_shuffled(benchmark::State& state) {
  const World world = make_shuffled_world(state);
  iterate(state, world.registry->view<Position, const Velocity>(), move);
}

void group2(benchmark::State& state) {
  const World world = make_world(state);
  iterate(state, world.registry->group<Position, const Velocity>(), move);
}

void group3(benchmark::State& state) {
  const World world = make_world(state);
  iterate(state, world.registry->group<Position, const Velocity, Health>(), move_and_hurt);
}

void group2_quarter(benchmark::State& state) {
  const World world = make_sparse_world(state, 4);
  iterate(state, world.registry->group<Position, const Velocity>(), move);
}

// Sums up what try_get() finds. The sum is handed over by value: it has no address, and so stays in a register.
template <class Found>
void read_all(benchmark::State& state, const World& world, Found try_get) {
  for (auto _ : state) {
    float sum = 0;
    for (const Entity entity : world.entities)
      if (const Position* position = try_get(entity); position != nullptr) sum += position->x;
    benchmark::DoNotOptimize(float{sum});
  }
  report(state);
}

void read_by_get(benchmark::State& state, const World& world) {
  read_all(state, world, [&](Entity entity) { return world.registry->try_get<const Position>(entity); });
}

void read_by_lookup(benchmark::State& state, const World& world) {
  const ecs::Lookup<const Position> positions = world.registry->lookup<const Position>();
  read_all(state, world, [&](Entity entity) { return positions.try_get(entity); });
}

void get_in_order(benchmark::State& state) { read_by_get(state, make_world(state)); }
void get_shuffled(benchmark::State& state) { read_by_get(state, make_handles_shuffled(state)); }
void lookup_in_order(benchmark::State& state) { read_by_lookup(state, make_world(state)); }
void lookup_shuffled(benchmark::State& state) { read_by_lookup(state, make_handles_shuffled(state)); }

void valid_shuffled(benchmark::State& state) {
  World world = make_world(state);
  shuffle(world.entities);
  for (auto _ : state) {
    int alive = 0;
    for (const Entity entity : world.entities) alive += world.registry->valid(entity) ? 1 : 0;
    benchmark::DoNotOptimize(int{alive});
  }
  report(state);
}

BENCHMARK(create)->Name("ecs/create")->Apply(sizes);
BENCHMARK(create3)->Name("ecs/create3")->Apply(sizes);
BENCHMARK(create3_one_step)->Name("ecs/create3_one_step")->Apply(sizes);
BENCHMARK(create3_bulk_of_one)->Name("ecs/create3_bulk_of_one")->Apply(sizes);
BENCHMARK(create3_bulk)->Name("ecs/create3_bulk")->Apply(sizes);
BENCHMARK(destroy3)->Name("ecs/destroy3")->Apply(sizes);
BENCHMARK(destroy3_shuffled)->Name("ecs/destroy3_shuffled")->Apply(sizes);
BENCHMARK(add_remove)->Name("ecs/add_remove")->Apply(sizes);
BENCHMARK(iterate1)->Name("ecs/iterate1")->Apply(sizes);
BENCHMARK(iterate2)->Name("ecs/iterate2")->Apply(sizes);
BENCHMARK(iterate3)->Name("ecs/iterate3")->Apply(sizes);
BENCHMARK(iterate2_quarter)->Name("ecs/iterate2_quarter")->Apply(sizes);
BENCHMARK(iterate2_shuffled)->Name("ecs/iterate2_shuffled")->Apply(sizes);
BENCHMARK(group2)->Name("ecs/group2")->Apply(sizes);
BENCHMARK(group3)->Name("ecs/group3")->Apply(sizes);
BENCHMARK(group2_quarter)->Name("ecs/group2_quarter")->Apply(sizes);
BENCHMARK(get_in_order)->Name("ecs/get_in_order")->Apply(sizes);
BENCHMARK(get_shuffled)->Name("ecs/get_shuffled")->Apply(sizes);
BENCHMARK(lookup_in_order)->Name("ecs/lookup_in_order")->Apply(sizes);
BENCHMARK(lookup_shuffled)->Name("ecs/lookup_shuffled")->Apply(sizes);
BENCHMARK(valid_shuffled)->Name("ecs/valid_shuffled")->Apply(sizes);

}  // namespace
}  // namespace mobula::bench

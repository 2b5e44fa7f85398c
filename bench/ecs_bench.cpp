// The registry through its public interface: schema components, marks on, 64 pools.
// Each benchmark reports ns_per_entity.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>
#include <vector>

namespace {

using mobula::ecs::Entity;
using mobula::ecs::Registry;

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

template <class T>
void register_component(Registry& registry) {
  const T value{};
  const mobula::core::ByteView bytes = mobula::core::as_bytes(&value, 1);
  static_cast<void>(registry.register_type({.id = mobula::core::StringId32(T::component_name),
                                            .name = std::string(T::component_name),
                                            .size = sizeof(T),
                                            .alignment = alignof(T),
                                            .schema = true,
                                            .default_value = {bytes.begin(), bytes.end()}}));
  registry.pool_of<T>();
}

std::unique_ptr<Registry> make_registry() {
  auto registry = std::make_unique<Registry>();
  register_component<Position>(*registry);
  register_component<Velocity>(*registry);
  register_component<Health>(*registry);
  for (std::uint32_t i = registry->pool_count(); i < 64; ++i) registry->pool_of<Health>("Health " + std::to_string(i));
  return registry;
}

std::vector<Entity> populate(Registry& registry, std::int64_t count) {
  std::vector<Entity> entities;
  entities.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const Entity entity = entities.emplace_back(registry.create());
    registry.add<Position>(entity);
    registry.add<Velocity>(entity);
    registry.add<Health>(entity);
  }
  registry.clear_journal();
  return entities;
}

void shuffle(std::vector<Entity>& entities) {
  mobula::core::Random random(1);
  for (std::size_t i = entities.size(); i > 1; --i)
    std::swap(entities[i - 1], entities[random.below(static_cast<std::uint32_t>(i))]);
}

void report(benchmark::State& state) {
  state.counters["ns_per_entity"] =
      benchmark::Counter(static_cast<double>(state.range(0)) / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void create3(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto registry = make_registry();
    state.ResumeTiming();
    benchmark::DoNotOptimize(populate(*registry, state.range(0)));
    state.PauseTiming();
    registry.reset();
    state.ResumeTiming();
  }
  report(state);
}

void destroy3(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto registry = make_registry();
    const std::vector<Entity> entities = populate(*registry, state.range(0));
    state.ResumeTiming();
    for (const Entity entity : entities) registry->destroy(entity);
    state.PauseTiming();
    registry.reset();
    state.ResumeTiming();
  }
  report(state);
}

void add_remove(benchmark::State& state) {
  auto registry = make_registry();
  std::vector<Entity> entities = populate(*registry, state.range(0));
  for (const Entity entity : entities) registry->remove<Health>(entity);
  for (auto _ : state) {
    for (const Entity entity : entities) registry->add<Health>(entity);
    for (const Entity entity : entities) registry->remove<Health>(entity);
    registry->clear_journal();
  }
  report(state);
}

void iterate1(benchmark::State& state) {
  auto registry = make_registry();
  populate(*registry, state.range(0));
  for (auto _ : state) {
    registry->view<Position>().each([](Position& position) {
      position.x += 1;
      position.y += 1;
      position.z += 1;
    });
    benchmark::ClobberMemory();
  }
  report(state);
}

void move(Position& position, const Velocity& velocity) {
  position.x += velocity.x;
  position.y += velocity.y;
  position.z += velocity.z;
}

void iterate2_in(Registry& registry, benchmark::State& state) {
  for (auto _ : state) {
    registry.view<Position, const Velocity>().each(
        [](Position& position, const Velocity& velocity) { move(position, velocity); });
    benchmark::ClobberMemory();
  }
  report(state);
}

void iterate2(benchmark::State& state) {
  auto registry = make_registry();
  populate(*registry, state.range(0));
  iterate2_in(*registry, state);
}

void iterate2_quarter(benchmark::State& state) {
  auto registry = make_registry();
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const Entity entity = registry->create();
    registry->add<Position>(entity);
    if (i % 4 == 0) registry->add<Velocity>(entity);
  }
  iterate2_in(*registry, state);
}

void iterate2_shuffled(benchmark::State& state) {
  auto registry = make_registry();
  std::vector<Entity> entities;
  for (std::int64_t i = 0; i < state.range(0); ++i) registry->add<Position>(entities.emplace_back(registry->create()));
  shuffle(entities);
  for (const Entity entity : entities) registry->add<Velocity>(entity);
  iterate2_in(*registry, state);
}

void iterate3(benchmark::State& state) {
  auto registry = make_registry();
  populate(*registry, state.range(0));
  for (auto _ : state) {
    registry->view<Position, const Velocity, Health>().each(
        [](Position& position, const Velocity& velocity, Health& health) {
          move(position, velocity);
          health.a -= 1;
        });
    benchmark::ClobberMemory();
  }
  report(state);
}

void get_shuffled(benchmark::State& state) {
  auto registry = make_registry();
  std::vector<Entity> entities = populate(*registry, state.range(0));
  shuffle(entities);
  for (auto _ : state) {
    float sum = 0;
    for (const Entity entity : entities) sum += registry->get<const Position>(entity).x;
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}

void valid_shuffled(benchmark::State& state) {
  auto registry = make_registry();
  std::vector<Entity> entities = populate(*registry, state.range(0));
  shuffle(entities);
  for (auto _ : state) {
    int alive = 0;
    for (const Entity entity : entities) alive += registry->valid(entity) ? 1 : 0;
    benchmark::DoNotOptimize(alive);
  }
  report(state);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int size : {10'000, 100'000, 1'000'000}) benchmark->Arg(size);
  benchmark->Unit(benchmark::kMicrosecond);
}

BENCHMARK(create3)->Name("ecs/create3")->Apply(sizes);
BENCHMARK(destroy3)->Name("ecs/destroy3")->Apply(sizes);
BENCHMARK(add_remove)->Name("ecs/add_remove")->Apply(sizes);
BENCHMARK(iterate1)->Name("ecs/iterate1")->Apply(sizes);
BENCHMARK(iterate2)->Name("ecs/iterate2")->Apply(sizes);
BENCHMARK(iterate3)->Name("ecs/iterate3")->Apply(sizes);
BENCHMARK(iterate2_quarter)->Name("ecs/iterate2_quarter")->Apply(sizes);
BENCHMARK(iterate2_shuffled)->Name("ecs/iterate2_shuffled")->Apply(sizes);
BENCHMARK(get_shuffled)->Name("ecs/get_shuffled")->Apply(sizes);
BENCHMARK(valid_shuffled)->Name("ecs/valid_shuffled")->Apply(sizes);

}  // namespace

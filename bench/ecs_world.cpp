#include "ecs_world.hpp"

#include <malloc.h>

#include <mobula/core/random.hpp>
#include <string>

namespace mobula::bench {
namespace {

// Reuses touched memory for new worlds, because page faults measure the kernel, not the ECS.
[[maybe_unused]] const bool heap_is_kept = [] {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const std::vector<char> touched(256 << 20, 1);
  benchmark::DoNotOptimize(touched.data());
  return true;
}();

template <class T>
void register_component(ecs::Registry& registry) {
  const T value{};
  const core::ByteView bytes = core::as_bytes(&value, 1);
  static_cast<void>(registry.register_type({.id = core::StringId32(T::component_name),
                                            .name = std::string(T::component_name),
                                            .size = sizeof(T),
                                            .alignment = alignof(T),
                                            .schema = true,
                                            .default_value = {bytes.begin(), bytes.end()}}));
  registry.pool_of<T>();
}

World make_positions(const benchmark::State& state) {
  World world;
  world.entities.resize(static_cast<std::size_t>(state.range(0)));
  world.registry->create(world.entities, Position{});
  world.registry->clear_journal();
  return world;
}

}  // namespace

std::unique_ptr<ecs::Registry> make_registry() {
  auto registry = std::make_unique<ecs::Registry>();
  register_component<Position>(*registry);
  register_component<Velocity>(*registry);
  register_component<Health>(*registry);
  for (std::uint32_t i = registry->pool_count(); i < 64; ++i) registry->pool_of<Health>("Health " + std::to_string(i));
  return registry;
}

World make_world(const benchmark::State& state) {
  World world;
  world.entities.resize(static_cast<std::size_t>(state.range(0)));
  world.registry->create(world.entities, Position{}, Velocity{}, Health{});
  world.registry->clear_journal();
  return world;
}

World make_sparse_world(const benchmark::State& state, std::int64_t every) {
  World world = make_positions(state);
  for (std::size_t i = 0; i < world.entities.size(); i += static_cast<std::size_t>(every))
    world.registry->add<Velocity>(world.entities[i]);
  world.registry->clear_journal();
  return world;
}

World make_shuffled_world(const benchmark::State& state) {
  World world = make_positions(state);
  shuffle(world.entities);
  for (const ecs::Entity entity : world.entities) world.registry->add<Velocity>(entity);
  world.registry->clear_journal();
  return world;
}

void shuffle(std::vector<ecs::Entity>& entities) {
  core::Random random(1);
  for (std::size_t i = entities.size(); i > 1; --i)
    std::swap(entities[i - 1], entities[random.below(static_cast<std::uint32_t>(i))]);
}

void report(benchmark::State& state) {
  state.counters["ns_per_entity"] =
      benchmark::Counter(static_cast<double>(state.range(0)) / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int size : {10'000, 100'000, 1'000'000}) benchmark->Arg(size);
  benchmark->Unit(benchmark::kMicrosecond);
}

}  // namespace mobula::bench

// WorldTransforms of a forest with fan-out 4, six levels deep with 10,000 entities.
#include <mobula/core/random.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/reflect/schema.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

using engine::Parent;
using engine::Transform;

constexpr std::uint32_t roots = 8;

struct Forest {
  explicit Forest(const benchmark::State& state) : entities(static_cast<std::size_t>(state.range(0))) {
    static_cast<void>(reflect::register_components(registry, **reflect::Schema::load(engine::schema_bytes())));
    plant();
    move();
    next_tick();
  }
  void plant() {
    registry.create(std::span(entities).first(roots), Transform{});
    registry.create(std::span(entities).subspan(roots), Transform{}, Parent{});
    for (std::uint32_t i = roots; i < entities.size(); ++i)
      registry.get<Parent>(entities[i]).entity = entities[(i - roots) / 4];
  }
  void fell() {
    for (std::uint32_t i = 0; i < roots; ++i) hierarchy.destroy_tree(entities[i]);
  }
  // Writes all Transforms.
  void move() {
    const auto x = static_cast<float>(registry.tick() % 1024);
    registry.view<Transform>().each([x](Transform& transform) { transform.position.x = x; });
  }
  void next_tick() {
    hierarchy.update();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }

  ecs::Registry registry;
  hierarchy::Hierarchy hierarchy{registry};
  std::vector<ecs::Entity> entities;
};

// The writes are timed too.
void update(benchmark::State& state) {
  Forest forest(state);
  for (auto _ : state) {
    forest.move();
    forest.next_tick();
  }
  report(state);
}

void update_still(benchmark::State& state) {
  Forest forest(state);
  for (auto _ : state) forest.next_tick();
  report(state);
}

// One entity in a hundred moves, with its descendants.
void update_some(benchmark::State& state) {
  Forest forest(state);
  core::Random random(1);
  const auto count = static_cast<std::uint32_t>(forest.entities.size());
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < count / 100; ++i)
      forest.registry.get<Transform>(forest.entities[random.below(count)]).position.x += 1;
    forest.next_tick();
  }
  report(state);
}

// A hundred leaves get new parents above the lowest level, then an update.
void reparent(benchmark::State& state) {
  Forest forest(state);
  core::Random random(1);
  const auto count = static_cast<std::uint32_t>(forest.entities.size());
  const std::uint32_t parents = count / 4 - roots;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) {
      const ecs::Entity leaf = forest.entities[count / 2 + random.below(count / 2)];
      if (!forest.hierarchy.set_parent(leaf, forest.entities[random.below(parents)]).ok())
        state.SkipWithError("a parent is refused");
    }
    forest.next_tick();
  }
  report(state);
}

// First update after all entities are created.
void come(benchmark::State& state) {
  Forest forest(state);
  for (auto _ : state) {
    state.PauseTiming();
    forest.fell();
    forest.next_tick();
    forest.plant();
    state.ResumeTiming();
    forest.next_tick();
  }
  report(state);
}

// Eight trees, each destroyed at once, then an update.
void destroy_trees(benchmark::State& state) {
  Forest forest(state);
  for (auto _ : state) {
    forest.fell();
    forest.next_tick();
    state.PauseTiming();
    forest.plant();
    forest.next_tick();
    state.ResumeTiming();
  }
  report(state);
}

BENCHMARK(update)->Name("hierarchy/update")->Apply(sizes);
BENCHMARK(update_still)->Name("hierarchy/update_still")->Apply(sizes);
BENCHMARK(update_some)->Name("hierarchy/update_some")->Apply(sizes);
BENCHMARK(reparent)->Name("hierarchy/reparent")->Apply(sizes);
BENCHMARK(come)->Name("hierarchy/come")->Apply(sizes);
BENCHMARK(destroy_trees)->Name("hierarchy/destroy_trees")->Apply(sizes);

}  // namespace
}  // namespace mobula::bench

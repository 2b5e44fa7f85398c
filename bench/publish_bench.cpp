// Publishing a tick: range(0) entities with a Transform, of which one in range(1) moves.
#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/replication/publisher.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

using engine::Transform;

struct PublishedWorld {
  explicit PublishedWorld(std::size_t count) : schema(*reflect::Schema::load(engine::schema_bytes())), entities(count) {
    static_cast<void>(reflect::register_components(registry, *schema).value());
    publisher = std::make_unique<server::Publisher>(registry, *schema);
    registry.create(std::span(entities), Transform{});
    shuffle(entities);
    end_tick();
  }
  void move(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      next = next + 1 < entities.size() ? next + 1 : 0;
      registry.get<Transform>(entities[next]).position.x = random.uniform(-500, 500);
    }
  }
  void end_tick() {
    publisher->publish();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }

  core::Random random{1};
  std::shared_ptr<const reflect::Schema> schema;
  ecs::Registry registry;
  std::unique_ptr<server::Publisher> publisher;
  std::vector<ecs::Entity> entities;
  std::size_t next = 0;
};

// Moving entities are spread over the pool, so almost every block is marked as changed.
void publish(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  PublishedWorld world(count);
  for (auto _ : state) {
    state.PauseTiming();
    world.move(count / static_cast<std::size_t>(state.range(1)));
    state.ResumeTiming();
    world.end_tick();
  }
}

BENCHMARK(publish)
    ->Name("server/publish")
    ->Args({1000, 1})
    ->Args({100000, 100})
    ->Args({100000, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mobula::bench

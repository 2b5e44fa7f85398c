// A world of range(0) entities with a Transform and a Velocity each: cost of a checkpoint for the simulation thread and
// for the writer if range(1) percent of the Transforms have changed, and cost of restoring the world.
#include <unistd.h>

#include <filesystem>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/store/store.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

namespace fs = std::filesystem;
using engine::Transform;

// In memory if possible, so that the disk is not measured.
fs::path folder() { return fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path(); }

struct StoredWorld {
  explicit StoredWorld(std::size_t count)
      : path((folder() / ("mobula_bench_" + std::to_string(::getpid()) + ".db")).string()),
        schema(*reflect::Schema::load(demo::schema_bytes())),
        entities(count) {
    remove_files();
    open();
    static_cast<void>(reflect::register_components(registry, *schema).value());
    registry.create(std::span(entities), Transform{}, demo::Velocity{});
    static_cast<void>(store->begin(registry));
    checkpoint();
    wait();
  }
  ~StoredWorld() {
    store.reset();
    remove_files();
  }

  void open() { store = std::move(*store::Store::open({.path = path, .schema = schema})); }
  void remove_files() const {
    for (const char* suffix : {"", "-wal", "-shm", ".lock"}) fs::remove(path + suffix);
  }
  void change(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto which = random.below(static_cast<std::uint32_t>(entities.size()));
      registry.get<Transform>(entities[which]).position.x = random.uniform(-500, 500);
    }
  }
  void checkpoint() {
    facts.tick = registry.tick();
    store->note();
    store->checkpoint(facts);
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  void wait() const {
    while (!store->ready()) ::usleep(50);
  }

  std::string path;
  std::shared_ptr<const reflect::Schema> schema;
  std::unique_ptr<store::Store> store;
  ecs::Registry registry{{.entities = {.incarnation = 1}, .pools = {}}};
  std::vector<ecs::Entity> entities;
  core::Random random{1};
  store::Facts facts;
};

void checkpoint(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  StoredWorld world(count);
  double writer_ns = 0;
  double rows = 0;
  for (auto _ : state) {
    state.PauseTiming();
    world.wait();
    writer_ns += static_cast<double>(world.store->status().write_time);
    rows += world.store->status().rows;
    world.change(count * static_cast<std::size_t>(state.range(1)) / 100);
    state.ResumeTiming();
    world.checkpoint();
  }
  world.wait();
  state.counters["writer_us"] = writer_ns / 1000 / static_cast<double>(state.iterations());
  state.counters["rows"] = rows / static_cast<double>(state.iterations());
}

void restore(benchmark::State& state) {
  StoredWorld world(static_cast<std::size_t>(state.range(0)));
  static_cast<void>(world.store->finish(world.facts));
  for (auto _ : state) {
    state.PauseTiming();
    world.store.reset();
    ecs::Registry registry({.entities = {.incarnation = 4000}, .pools = {}});
    static_cast<void>(reflect::register_components(registry, *world.schema).value());
    state.ResumeTiming();
    world.open();
    static_cast<void>(world.store->restore(registry).value());
  }
}

BENCHMARK(checkpoint)
    ->Name("store/checkpoint")
    ->Args({10000, 1})
    ->Args({10000, 100})
    ->Args({100000, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(restore)->Name("store/restore")->Arg(10000)->UseRealTime()->Iterations(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula::bench

// The demo level, compiled here, as the server loads and spawns it.
#include <benchmark/benchmark.h>

#include <mobula/resource/compiler.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/schema/components.hpp>

namespace {

using namespace mobula;

constexpr const char* village = MOBULA_SOURCE_DIR "/server/game/level/village.json";

std::shared_ptr<const reflect::Schema> demo_schema() { return *reflect::Schema::load(demo::schema_bytes()); }

void compile_village(benchmark::State& state) {
  const auto schema = demo_schema();
  for (auto _ : state) benchmark::DoNotOptimize(resource::compile(village, *schema).bytes.size());
}

void load_village(benchmark::State& state) {
  const core::Bytes bytes = resource::compile(village, *demo_schema()).bytes;
  for (auto _ : state) benchmark::DoNotOptimize(resource::Resource::from_bytes(bytes).ok());
}

// Into a fresh registry each time; only the spawn is timed.
void spawn_village(benchmark::State& state) {
  const auto schema = demo_schema();
  const auto level = *resource::Resource::from_bytes(resource::compile(village, *schema).bytes);
  for (auto _ : state) {
    state.PauseTiming();
    {
      ecs::Registry registry;
      static_cast<void>(reflect::register_components(registry, *schema));
      core::Result<resource::Spawner> spawner = resource::Spawner::bind(registry, *schema, level);
      state.ResumeTiming();
      benchmark::DoNotOptimize(spawner->spawn_level().ok());
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.counters["entities"] = level->level().num_entities;
}

BENCHMARK(compile_village)->Name("resource/compile_village")->Unit(benchmark::kMillisecond);
BENCHMARK(load_village)->Name("resource/load_village")->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_village)->Name("resource/spawn_village")->Unit(benchmark::kMicrosecond);

}  // namespace

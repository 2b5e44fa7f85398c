// Compiled levels of 10,000 objects with three components from a file, loaded and spawned as a server does. The
// yardstick is copying the same columns and writing the same indices.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/schema/components.hpp>

namespace mobula::bench {
namespace {

using resource::Resource;
using resource::Spawner;

std::shared_ptr<const reflect::Schema> demo_schema() {
  static const auto schema = *reflect::Schema::load(demo::schema_bytes());
  return schema;
}

// Transform, Body and Health on a field of objects. With `linked`, every tenth has a child and refers to its neighbour.
std::string level_text(std::int64_t count, bool linked) {
  const std::string crate = R"({"spawnable": true, "components": {"Transform": {}, "Health": {},
                                "Body": {"$type": "RenderData", "mesh": "props/crate"}})" +
                            std::string(linked ? R"(, "children": {"lid": {"components": {"Transform": {"position":
                                [0, 1, 0]}, "Body": {"$type": "RenderData", "mesh": "props/lid"}, "Health": {},
                                "Target": {"entity": ".."}}}})"
                                               : "") +
                            "}";
  const std::int64_t trees = linked ? count / 10 : 0;
  return core::format(
      R"({{"prefabs": {{"crate": {}, "plain": {{"spawnable": true, "components": {{"Transform": {{}}, "Health": {{}},
          "Body": {{"$type": "RenderData", "mesh": "props/crate"}}}}}}}},
          "placements": [{{"name": "field", "prefab": "plain", "grid": {{"origin": [-250, 0, -250],
            "count": [100, 1, {}], "step": [5, 0, 5]}}}}{}]}})",
      crate, (count - 2 * trees) / 100,
      linked ? core::format(R"(, {{"name": "tree", "prefab": "crate", "grid": {{"origin": [-250, 0, -250],
                               "count": [10, 1, {}], "step": [5, 0, 5]}}}})",
                            trees / 10)
             : "");
}

core::Bytes compile_text(const std::string& text) {
  resource::CompileOptions options;
  options.read = [&](const std::string&) { return core::Result<std::string>(text); };
  const resource::Compiled compiled = resource::compile("level.json", *demo_schema(), options);
  if (compiled.bytes.empty()) std::fprintf(stderr, "%s\n", to_string(compiled.errors.at(0)).c_str());
  return compiled.bytes;
}

// A compiled file that exists while the benchmarks run.
class LevelFile {
 public:
  explicit LevelFile(std::int64_t count, bool linked = false)
      : path_((std::filesystem::temp_directory_path() / core::format("mobula-bench-{}.level", ::getpid())).string()) {
    static_cast<void>(process::write_files({{path_, compile_text(level_text(count, linked))}}));
  }
  ~LevelFile() { std::filesystem::remove(path_); }
  LevelFile(const LevelFile&) = delete;
  LevelFile& operator=(const LevelFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct World {
  explicit World(std::shared_ptr<const Resource> level) : spawner(bind(registry, std::move(level))) {}

  static Spawner bind(ecs::Registry& registry, std::shared_ptr<const Resource> level) {
    static_cast<void>(reflect::register_components(registry, *demo_schema()));
    for (int i = 0; i < 50; ++i)  // 64 pools, as in the benchmarks of the ECS
      static_cast<void>(registry.open_pool(core::StringId32("Health"), core::format("health {}", i)));
    return std::move(*Spawner::bind(registry, *demo_schema(), std::move(level)));
  }

  ecs::Registry registry;
  Spawner spawner;
};

void report(benchmark::State& state, std::int64_t entities) {
  state.counters["ns_per_entity"] =
      benchmark::Counter(static_cast<double>(entities) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Each iteration spawns into a world of its own, made off the clock in touched memory.
void spawn_level(benchmark::State& state) {
  const LevelFile file(state.range(0));
  const auto level = *resource::load_file(file.path());
  for (auto _ : state) {
    state.PauseTiming();
    {
      World world(level);
      state.ResumeTiming();
      benchmark::DoNotOptimize(world.spawner.spawn_level().ok());
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  report(state, level->level().num_entities);
}

// Times spawn(), and destroys its entities off the clock. Returns the last of them.
template <class Spawn>
ecs::EntityRange spawn_and_destroy(benchmark::State& state, ecs::Registry& registry, Spawn spawn) {
  ecs::EntityRange range;
  for (auto _ : state) {
    range = spawn();
    state.PauseTiming();
    registry.destroy_range(range);
    registry.clear_journal();
    state.ResumeTiming();
  }
  return range;
}

// 50,000 entities live. A level is spawned and destroyed repeatedly, so its range of indices is reused.
void spawn_level_recycled(benchmark::State& state) {
  const LevelFile file(state.range(0));
  World world(*resource::load_file(file.path()));
  for (int i = 0; i < 5; ++i) static_cast<void>(world.spawner.spawn_level());
  spawn_and_destroy(state, world.registry, [&] { return *world.spawner.spawn_level(); });
  report(state, state.range(0));
}

// Uses the indices that 10,000 of 50,000 destroyed entities have left, in that order.
void spawn_level_scattered(benchmark::State& state) {
  const LevelFile file(state.range(0));
  World world(*resource::load_file(file.path()));
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<ecs::Entity> others(count * 5);
  static_cast<void>(world.registry.create(others, engine::Transform{}, demo::Health{}));
  std::vector<ecs::Entity> gone;
  for (std::size_t i = 0; i < count; ++i) gone.push_back(others[(i * 7919) % others.size()]);
  const std::vector<resource::SpawnChoice> all(count, resource::SpawnChoice::spawn);
  std::vector<ecs::Entity> entities(count);
  world.registry.destroy(gone);
  for (auto _ : state) {
    benchmark::DoNotOptimize(world.spawner.spawn_part(entities, all).ok());
    state.PauseTiming();
    world.registry.destroy(entities);
    world.registry.clear_journal();
    state.ResumeTiming();
  }
  report(state, state.range(0));
}

// As on a server: parents and references, a group, a listener on each pool, looked-up names.
void spawn_level_live(benchmark::State& state) {
  const LevelFile file(state.range(0), true);
  const auto level = *resource::load_file(file.path());
  World world(level);
  std::uint64_t notified = 0;
  for (const resource::Column& column : level->level().columns)
    static_cast<void>(world.registry.signals(world.registry.find_pool(column.key.type, column.key.instance))
                          .construct.connect([&](std::span<const ecs::Entity> all) { notified += all.size(); }));
  static_cast<void>(world.registry.group<engine::Transform, demo::Health>());
  const core::StringId32 body("Body");
  spawn_and_destroy(state, world.registry, [&] {
    const ecs::EntityRange range = *world.spawner.spawn_level();
    benchmark::DoNotOptimize(world.registry.find(range.at(0), body));
    return range;
  });
  state.counters["notified_per_spawn"] = static_cast<double>(notified) / static_cast<double>(state.iterations());
  report(state, level->level().num_entities);
}

// Minimum work of any spawner: the bytes of the columns, and an index and a position per instance.
void spawn_floor(benchmark::State& state) {
  const LevelFile file(state.range(0));
  const auto level = *resource::load_file(file.path());
  std::vector<core::Bytes> rows;
  std::vector<std::vector<std::uint32_t>> packed;
  std::vector<std::vector<std::uint32_t>> positions;
  std::vector<ecs::EntitySlot> slots(level->level().num_entities);
  for (const resource::Column& column : level->level().columns) {
    rows.emplace_back(column.data.size());
    packed.emplace_back(column.num_instances);
    positions.emplace_back(column.num_instances);
  }
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = {1, level->level().prototype_of[i]};
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const resource::Column& column = level->level().columns[c];
      std::memcpy(rows[c].data(), column.data.data(), column.data.size());
      for (std::uint32_t i = 0; i < column.num_instances; ++i) {
        packed[c][i] = column.entity_index[i];
        positions[c][column.entity_index[i]] = i;
      }
    }
    benchmark::ClobberMemory();
  }
  report(state, level->level().num_entities);
}

// range(0) instances of one prefab in one call, each at its own place.
void spawn_prefab(benchmark::State& state) {
  const LevelFile file(1000, true);
  World world(*resource::load_file(file.path()));
  std::vector<resource::Placement> places(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < places.size(); ++i) places[i].position.x = static_cast<float>(i % 100);
  const core::StringId32 crate("crate");
  const ecs::EntityRange range =
      spawn_and_destroy(state, world.registry, [&] { return *world.spawner.spawn_prefabs(crate, places); });
  report(state, range.count);
}

void verify_and_map(benchmark::State& state) {
  const LevelFile file(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(resource::map_file(file.path()).ok());
  report(state, state.range(0));
}

void compile(benchmark::State& state) {
  const std::string text = level_text(state.range(0), true);
  for (auto _ : state) benchmark::DoNotOptimize(compile_text(text).size());
  report(state, state.range(0));
}

BENCHMARK(spawn_level)->Name("resource/spawn_level")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_level_recycled)->Name("resource/spawn_level_recycled")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_level_scattered)->Name("resource/spawn_level_scattered")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_level_live)->Name("resource/spawn_level_live")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_floor)->Name("resource/spawn_floor")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(spawn_prefab)->Name("resource/spawn_prefab")->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(verify_and_map)->Name("resource/verify_and_map")->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(compile)->Name("resource/compile")->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula::bench

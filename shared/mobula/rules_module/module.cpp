// A module of rules: runs a step over columns that its host has filled.
//
//   initialize                                 once: describes the columns that the rules use
//   begin_level  add_static…  end_level        for each level
//   begin_visible  add_row…  end_visible       for each state of the entities that are not stepped
//   begin  add_entity… add_row… add_command…  before each step
//   step                                       runs it, and reports what it has done
//
// Memory is freed back to the level by begin_visible(), and to the visible entities by begin(). So a step has no state.
#include <cstddef>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/prediction/step.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/rules_module/arena.hpp>
#include <mobula/rules_module/host.hpp>
#include <mobula/rules_module/rules.hpp>
#include <vector>

extern "C" void __wasm_call_ctors();  // made by the linker

namespace mobula::rules_module {
namespace {

constexpr std::uint32_t version = 1;  // version of the functions between module and host

/// Everything of one step.
struct Frame {
  prediction::StepContext context{};
  ecs::Tick tick = 0;
  ecs::Registry own;  // entities that are stepped
  prediction::PredictedTypes types;
  prediction::SteppedEntities stepped;
  prediction::EffectList effects;
  std::vector<prediction::Spawned> spawned;
  prediction::StepScratch scratch;
  List<prediction::Command> commands;
};

std::uintptr_t initialized_mark = 0;
std::uintptr_t level_mark = 0;
std::uintptr_t visible_mark = 0;
resource::Resource* level = nullptr;
ecs::Registry* visible = nullptr;  // entities that are read, but not stepped
Frame* frame = nullptr;

void describe(const ColumnType& type) {
  host::mobula_host_column(type.number, type.name.data(), static_cast<std::uint32_t>(type.name.size()),
                           type.layout.data(), static_cast<std::uint32_t>(type.layout.size()), type.size,
                           type.predicted ? 1 : 0);
}

void report_spawned() {
  for (const prediction::Spawned& each : frame->spawned) {
    List<std::uint32_t> columns;
    for (const ecs::Pool& pool : frame->own.pools())
      if (pool.type().predicted && pool.contains(each.entity.index)) columns.push_back(pool.id());
    host::mobula_host_spawned(each.entity.index, each.entity.generation, each.player, each.command,
                              columns.all().data(), columns.size());
  }
}

void report_written(const prediction::PredictedWorld& world) {
  for (const ecs::Pool& pool : frame->own.pools()) {
    if (!pool.type().predicted) continue;
    for (std::uint32_t position = 0; position < pool.size(); ++position) {
      const ecs::Entity entity = frame->own.entities().at(pool.indices()[position]);
      if (pool.is_changed(position) && world.steps(entity))
        host::mobula_host_written(pool.id(), entity.index, entity.generation, pool.address(position));
    }
  }
}

void report_destroyed(const prediction::PredictedWorld& world) {
  for (const ecs::Entity entity : frame->own.entities().all())
    if (!world.steps(entity)) host::mobula_host_destroyed(entity.index, entity.generation);
}

// Before anything is reported: a host that knows effects by their texts can begin no other.
void check_effects() {
  for (std::size_t i = 0; i < frame->effects.size(); ++i) {
    const core::StringId32 name = frame->effects.at(i).name;
    bool is_listed = false;
    for (const std::string_view each : rules().effects) is_listed = is_listed || core::StringId32(each) == name;
    MOBULA_CHECK(is_listed, core::format("the step emits effect {}, which Rules::effects does not list", name.value));
  }
}

void report_effects() {
  for (std::size_t i = 0; i < frame->effects.size(); ++i) {
    const prediction::Effect effect = frame->effects.at(i);
    host::mobula_host_effect(effect.name.value, static_cast<std::uint32_t>(effect.key),
                             static_cast<std::uint32_t>(effect.key >> 32), effect.payload.data(),
                             static_cast<std::uint32_t>(effect.payload.size()));
  }
}

}  // namespace

}  // namespace mobula::rules_module

// A heap sort, whose code is small.
void mobula::prediction::sort_by_index(std::span<ecs::Entity> entities) {
  const auto sift = [&](std::size_t at, std::size_t end) {
    for (std::size_t child = 2 * at + 1; child < end; at = child, child = 2 * at + 1) {
      if (child + 1 < end && entities[child].index < entities[child + 1].index) ++child;
      if (entities[at].index >= entities[child].index) return;
      std::swap(entities[at], entities[child]);
    }
  };
  for (std::size_t at = entities.size() / 2; at-- > 0;) sift(at, entities.size());
  for (std::size_t end = entities.size(); end-- > 1;) {
    std::swap(entities[0], entities[end]);
    sift(0, end);
  }
}

using namespace mobula;
using namespace mobula::rules_module;

extern "C" {

[[clang::export_name("initialize")]] std::uint32_t mobula_initialize() {
  __wasm_call_ctors();
  for (const std::string_view name : rules().reads) {
    const core::StringId32 id(name);
    for (ColumnType* each = ColumnType::first; each != nullptr; each = each->next)
      if (each->id == id) each->readable = true;
    host::mobula_host_reads(name.data(), static_cast<std::uint32_t>(name.size()));
  }
  for (const std::string_view name : rules().effects)
    host::mobula_host_effect_name(core::StringId32(name).value, name.data(), static_cast<std::uint32_t>(name.size()));
  number_column_types();
  for (const ColumnType* each = ColumnType::first; each != nullptr; each = each->next) describe(*each);
  initialized_mark = level_mark = visible_mark = arena_mark();
  return version;
}

[[clang::export_name("begin_level")]] void mobula_begin_level() {
  reset_arena(initialized_mark);
  level = new resource::Resource;
  visible = nullptr;
  frame = nullptr;
}

/// Returns where the host writes the data.
[[clang::export_name("add_static")]] void* mobula_add_static(std::uint32_t id_low, std::uint32_t id_high,
                                                             std::uint32_t type, std::uint32_t size) {
  auto* const data = static_cast<std::byte*>(allocate(size));
  level->add({std::uint64_t{id_high} << 32 | id_low, core::StringId32(type), {data, size}});
  return data;
}

[[clang::export_name("end_level")]] void mobula_end_level() { level_mark = visible_mark = arena_mark(); }

[[clang::export_name("begin_visible")]] void mobula_begin_visible() {
  reset_arena(level_mark);
  visible = new ecs::Registry;
  frame = nullptr;
}

[[clang::export_name("end_visible")]] void mobula_end_visible() { visible_mark = arena_mark(); }

[[clang::export_name("begin")]] void mobula_begin(std::uint32_t tick, std::uint32_t ticks_per_second,
                                                  std::uint32_t seed_low, std::uint32_t seed_high,
                                                  std::uint32_t local_index, std::uint32_t local_generation,
                                                  std::uint32_t local_end) {
  MOBULA_CHECK(visible != nullptr, "a step begins without begin_visible()");
  reset_arena(visible_mark);
  frame = new Frame;
  frame->tick = tick;
  frame->own.set_indices_end(local_end);
  frame->stepped.next_local = {local_index, local_generation};
  frame->context = {.registry = &frame->own,
                    .types = &frame->types,
                    .visible = visible,
                    .stepped = &frame->stepped,
                    .level = level,
                    .seed = std::uint64_t{seed_high} << 32 | seed_low,
                    .ticks_per_second = ticks_per_second,
                    .effects = &frame->effects,
                    .spawned = &frame->spawned,
                    .scratch = &frame->scratch};
}

/// Adds an entity that is stepped. They ascend by index.
[[clang::export_name("add_entity")]] void mobula_add_entity(std::uint32_t index, std::uint32_t generation) {
  frame->own.create_given({index, generation});
  frame->stepped.alive.push_back({index, generation});
}

/// Returns where the host writes a component of an entity: of one that is visible before end_visible(), of one that is
/// stepped after begin(). Rows of a column ascend by index.
[[clang::export_name("add_row")]] void* mobula_add_row(std::uint32_t column, std::uint32_t index,
                                                       std::uint32_t generation) {
  ecs::Registry& registry = frame == nullptr ? *visible : frame->own;
  MOBULA_CHECK(column < registry.pools().size(), "there is no such column");
  if (frame == nullptr) registry.create_given({index, generation});
  ecs::Pool& pool = registry.pool(column);
  return pool.address(pool.append(index));
}

/// Returns where the host writes the bytes of a command. Commands ascend by player and number.
[[clang::export_name("add_command")]] void* mobula_add_command(std::uint32_t player, std::uint32_t index,
                                                               std::uint32_t generation, std::uint32_t number,
                                                               std::uint32_t size) {
  auto* const bytes = static_cast<std::byte*>(allocate(size));
  frame->commands.push_back({player, {index, generation}, number, {bytes, size}});
  return bytes;
}

[[clang::export_name("step")]] void mobula_step() {
  prediction::run_step(rules(), frame->context, frame->tick, frame->commands.all());
  const prediction::PredictedWorld world(frame->context, frame->tick);
  check_effects();
  report_spawned();
  report_written(world);
  report_destroyed(world);
  report_effects();
}
}

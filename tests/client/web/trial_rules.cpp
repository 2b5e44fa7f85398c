// Rules in which the first byte of a command chooses what happens: each function of a step, and each way to fail. The
// tests of the web client run them as a module.
#include <array>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/schema/components.hpp>
#include <vector>

namespace trial {
namespace {

using mobula::core::Random;
using mobula::core::StringId32;
using mobula::ecs::Entity;
using mobula::prediction::Command;
using mobula::prediction::PredictedWorld;

// The effect of a command, with the bytes of values.
template <class Value>
void show(PredictedWorld& world, const Command& command, std::span<const Value> values) {
  world.effect(StringId32("shown"), command.number, mobula::core::as_bytes(values.data(), values.size()));
}

void show_random(PredictedWorld& world, const Command& command) {
  Random of_entity = world.random(command.entity);
  Random of_key = world.random(std::uint64_t{0x123456789abcdef0});
  const std::array<std::uint64_t, 4> drawn{of_entity.next(), of_entity.next(), of_key.next(), of_key.below(1000)};
  show<std::uint64_t>(world, command, drawn);
}

// Shows the entities that can be seen, and whether they are stepped.
void show_visible(PredictedWorld& world, const Command& command) {
  std::vector<std::uint32_t> seen;
  world.each_visible<const demo::Velocity>([&](Entity entity, const demo::Velocity& velocity) {
    seen.push_back(entity.index);
    seen.push_back(world.steps(entity) ? 1 : 0);
    seen.push_back(static_cast<std::uint32_t>(velocity.linear.x));
  });
  show<std::uint32_t>(world, command, seen);
}

// Spawns three entities while it iterates over others, and destroys the first of them.
void spawn_some(PredictedWorld& world, const Command& command) {
  Entity first{};
  world.each<demo::Walker>([&](Entity, demo::Walker& walker) {
    for (int i = 0; i < 3 && walker.rest == 0; ++i) {
      const Entity spawned = world.spawn(command, demo::Velocity{.linear = {static_cast<float>(i), 0, 0}});
      if (!first) first = spawned;
    }
    walker.rest = 7;  // the reference is valid after spawns
  });
  world.destroy(first);
  world.destroy(command.entity);
}

void show_static(PredictedWorld& world, const Command& command) {
  const mobula::resource::Static* const found = world.find_static_of(StringId32("Obstacles"));
  const mobula::resource::Static* const same = found == nullptr ? nullptr : world.find_static(found->id);
  if (same != nullptr) world.effect(StringId32("shown"), command.number, same->data);
}

[[gnu::noinline]] int sink_deeper(volatile int* depth) {
  volatile char room[256] = {};
  *depth = *depth + 1;
  if (*depth < 0) return 0;  // never: the stack ends before
  return sink_deeper(depth) + room[*depth % 256];
}

void run(PredictedWorld& world, const Command& command) {
  volatile int depth = 0;
  world.get<demo::Velocity>(command.entity).linear.y = 1;  // lost, if the step fails
  switch (command.bytes.empty() ? 0 : std::to_integer<char>(command.bytes[0])) {
    case 'r': return show_random(world, command);
    case 'v': return show_visible(world, command);
    case 's': return spawn_some(world, command);
    case 'l': return show_static(world, command);
    case 'e': return world.effect(StringId32("unlisted"), 1);
    case 'g': static_cast<void>(world.get<demo::Stone>(command.entity)); return;
    case 'h': static_cast<void>(world.try_get<const demo::Health>(command.entity)); return;
    case 't': __builtin_trap();
    case 'd': sink_deeper(&depth); return;
    case 'm':
      for (std::vector<std::vector<int>> all;;) all.emplace_back(1 << 20);
    default: return;
  }
}

void step(PredictedWorld& world, mobula::ecs::Tick /*tick*/, std::span<const Command> commands) {
  for (const Command& command : commands) run(world, command);
}

}  // namespace

extern const mobula::prediction::Rules rules;
const mobula::prediction::Rules rules{.step = step, .reads = {"Carrier"}, .effects = {"shown"}};

}  // namespace trial

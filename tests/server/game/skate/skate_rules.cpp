#include <mobula/schema/skate_commands_generated.h>

#include <cmath>
#include <mobula/prediction/predicted_world.hpp>
#include <server/game/skate/skate_rules.hpp>
#include <skate/components.hpp>

namespace skate {
namespace {

using mobula::prediction::Command;
using mobula::prediction::PredictedWorld;

void push(PredictedWorld& world, const Command& command) {
  const auto* const push = flatbuffers::GetRoot<commands::Command>(command.bytes.data())->body_as_Push();
  if (push == nullptr || !(std::abs(push->strength()) <= 1)) return;
  if (Skater* const skater = world.try_get<Skater>(command.entity)) skater->speed += push->strength();
}

void step(PredictedWorld& world, mobula::ecs::Tick /*tick*/, std::span<const Command> commands) {
  for (const Command& command : commands) push(world, command);
  world.each<Skater>([&](Skater& skater) {
    skater.x += skater.speed * world.seconds_per_tick();
    skater.speed *= 0.98f;
  });
}

}  // namespace

const mobula::prediction::Rules rules{.step = step};

}  // namespace skate

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/prediction/step.hpp>
#include <tuple>

namespace mobula::prediction {
namespace {

[[maybe_unused]] bool is_sorted(std::span<const Command> commands) {
  return std::ranges::is_sorted(commands, {}, [](const Command& each) { return std::tuple(each.player, each.number); });
}

}  // namespace

void run_step(const Rules& rules, const StepContext& context, ecs::Tick tick, std::span<const Command> commands) {
  MOBULA_ASSERT(is_sorted(commands), "commands of a step ascend by player and number");
  context.effects->clear();
  context.spawned->clear();
  PredictedWorld world(context, tick);
  rules.step(world, tick, commands);
}

}  // namespace mobula::prediction

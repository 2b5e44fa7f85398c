// The step of the rules among given obstacles.
#pragma once

#include <examples/demo/rules/obstacles.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace demo {

/// Runs the commands of a tick, then moves avatars and stones.
void step_among(const Obstacles& obstacles, mobula::prediction::PredictedWorld& world,
                std::span<const mobula::prediction::Command> commands);

}  // namespace demo

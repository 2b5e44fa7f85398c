// Thrown stones. They fly on an arc, bounce off the ground and obstacles, lie still, and end after some seconds.
#pragma once

#include <examples/demo/rules/obstacles.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace demo {

/// Makes the command's avatar throw a stone, unless it rests from the last one.
void throw_stone(mobula::prediction::PredictedWorld& world, const mobula::prediction::Command& command,
                 const mobula::engine::Vec3& direction);
/// Moves all stones by a tick.
void step_stones(mobula::prediction::PredictedWorld& world, const Obstacles& obstacles);

}  // namespace demo

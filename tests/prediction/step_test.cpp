#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <prediction/rules_world.hpp>

namespace mobula::prediction {
namespace {

using namespace test;

constexpr core::StringId32 begun("begun");

// Emits an effect and spawns a body for each command; moves all bodies by one.
void move_all(PredictedWorld& world, ecs::Tick tick, std::span<const Command> commands) {
  for (const Command& command : commands) {
    world.effect(begun, tick + command.number, command.bytes);
    world.spawn(command, Body{});
  }
  world.each<Body>([](Body& body) { body.x += 1; });
}

TEST(Step, RunsTheRulesInTheTick) {
  Side server;
  const ecs::Entity old = server.registry.create(Body{});
  const core::Bytes bytes(4, std::byte{7});
  const std::array commands{Command{.player = 1, .number = 5, .bytes = bytes}, Command{.player = 2, .number = 3}};
  run_step({.step = move_all}, server.context, 40, commands);
  ASSERT_EQ(server.effects.size(), 2u);
  EXPECT_EQ(server.effects.at(0).tick, 40u);
  EXPECT_EQ(server.effects.at(0).key, 45u);
  EXPECT_EQ(server.effects.at(0).payload.size(), 4u);
  EXPECT_EQ(server.effects.at(1).key, 43u);
  ASSERT_EQ(server.spawned.size(), 2u);
  for (const ecs::Entity entity : {old, server.spawned[0].entity, server.spawned[1].entity})
    EXPECT_EQ(server.registry.get<const Body>(entity).x, 1.0f);
}

TEST(Step, ReplacesTheResultsOfTheRunBefore) {
  Side server;
  const std::array commands{Command{.player = 1, .number = 5}};
  run_step({.step = move_all}, server.context, 1, commands);
  run_step({.step = move_all}, server.context, 2, {});
  EXPECT_EQ(server.effects.size(), 0u);
  EXPECT_TRUE(server.spawned.empty());
}

#ifdef MOBULA_ASSERTS
TEST(StepDeathTest, CommandsOutOfOrderAssert) {
  Side server;
  const std::array commands{Command{.player = 2, .number = 1}, Command{.player = 1, .number = 2}};
  EXPECT_DEATH(run_step({.step = no_step}, server.context, 1, commands), "commands of a step ascend");
}
#endif

}  // namespace
}  // namespace mobula::prediction

#include <gtest/gtest.h>
#include <mobula/schema/demo_commands_generated.h>

#include <cmath>
#include <demo/demo_player.hpp>
#include <mobula/schema/components.hpp>

namespace mobula::client {
namespace {

TEST(DemoPlayer, MovesAllAroundAndThrowsNowAndThen) {
  DemoPlayer player;
  int moves = 0;
  int throws = 0;
  float x = 0;
  float z = 0;
  for (core::Nanoseconds now = 0; now < 24 * DemoPlayer::command_interval; now += DemoPlayer::command_interval / 10) {
    const core::Bytes bytes = player.next_command(now);
    if (bytes.empty()) continue;
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ASSERT_TRUE(demo::commands::VerifyCommandBuffer(verifier));
    const auto* const command = demo::commands::GetCommand(bytes.data());
    if (const auto* const move = command->body_as_Move()) {
      ++moves;
      x += move->x();
      z += move->z();
      EXPECT_LE(std::hypot(move->x(), move->z()), 1);
    } else {
      const auto* const thrown = command->body_as_Throw();
      ASSERT_NE(thrown, nullptr);
      ++throws;
      EXPECT_LE(std::hypot(thrown->x(), thrown->y(), thrown->z()), 1);
    }
  }
  EXPECT_EQ(moves, 16);
  EXPECT_EQ(throws, 8);
  EXPECT_NEAR(x, 0, 1e-5);
  EXPECT_NEAR(z, 0, 1e-5);
}

TEST(DemoPlayer, ItsSchemaIsThatOfTheDemo) {
  ASSERT_NE(demo_schema(), nullptr);
  EXPECT_NE(demo_schema()->find(demo::Avatar::component_name), nullptr);
}

}  // namespace
}  // namespace mobula::client

// Commands of the demo's players: what they do, and which are refused.
#include <mobula/schema/demo_commands_generated.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <server/examples/demo/played_demo.hpp>
#include <vector>

namespace demo {
namespace {

namespace core = mobula::core;
using mobula::engine::Transform;
using mobula::server::Player;
using mobula::test::move_command;
using mobula::test::walk_to_command;

TEST_F(DemoGameTest, AMoveMovesUntilTheNext) {
  const Player player = join();
  const float start = get<Transform>(player.entity).position.x;
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(20);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start + 4, 0.01f);
  ASSERT_EQ(refusal(player, move_command(0, 0)), "");
  ticks(20);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start + 4, 0.01f);
}

TEST_F(DemoGameTest, AWalkToAPlaceEndsThere) {
  const Player player = join();
  const auto start = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(start.x + 3, start.z - 4)), "");
  ticks(15);
  EXPECT_GT(std::hypot(get<Velocity>(player.entity).linear.x, get<Velocity>(player.entity).linear.z), 3.9f);
  ticks(40);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start.x + 3, 0.25f);
  EXPECT_NEAR(get<Transform>(player.entity).position.z, start.z - 4, 0.25f);
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
}

TEST_F(DemoGameTest, AMoveEndsAWalkAndAWalkToThePresentPlaceEnds) {
  const Player player = join();
  const auto start = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(start.x + 4, start.z)), "");
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(40);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start.x + 8, 0.1f);
  const auto here = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(here.x, here.z)), "");
  ticks(5);
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
  EXPECT_FLOAT_EQ(get<Transform>(player.entity).position.x, here.x);
}

TEST_F(DemoGameTest, PlacesOutOfTheWorldAreRefused) {
  const Player player = join();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{{501, 0}, {0, -501}, {nan, 0}, {0, nan}, {1e30f, 0}})
    EXPECT_EQ(refusal(player, walk_to_command(x, z)), "place out of range") << x << " " << z;
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
}

TEST_F(DemoGameTest, MovesOutOfRangeAreRefusedAndChangeNothing) {
  const Player player = join();
  ASSERT_EQ(refusal(player, move_command(0.5f, 0.25f)), "");
  const Velocity before = get<Velocity>(player.entity);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{
           {1, 1}, {2, 0}, {0, -1.1f}, {nan, 0}, {0, nan}, {infinity, 0}, {-infinity, infinity}, {1e30f, 1e30f}}) {
    EXPECT_EQ(refusal(player, move_command(x, z)), "move out of range") << x << " " << z;
    EXPECT_EQ(get<Velocity>(player.entity), before);
  }
}

TEST_F(DemoGameTest, AimsOutOfRangeAreRefused) {
  const Player player = join();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [x, y] : std::vector<std::pair<float, float>>{{0, 0}, {1, 1}, {nan, 0}, {0, 1e30f}, {1e-4f, 0}}) {
    EXPECT_EQ(refusal(player, mobula::client::throw_command(x, y, 0)), "aim out of range") << x << " " << y;
    EXPECT_EQ(refusal(player, mobula::client::tag_command(x, y, 0)), "aim out of range") << x << " " << y;
    ticks(10);  // the limit is four tags per second
  }
  EXPECT_EQ(world->registry().pool<Stone>().size(), 0u);
}

TEST_F(DemoGameTest, MalformedCommandsAreRefused) {
  const Player player = join();
  const core::Bytes good = move_command(0.5f, 0.5f);
  const Velocity before = get<Velocity>(player.entity);
  EXPECT_EQ(refusal(player, {}), "malformed command");
  EXPECT_EQ(refusal(player, core::Bytes(100, std::byte{0})), "malformed command");
  EXPECT_EQ(refusal(player, core::Bytes(100, std::byte{0xff})), "malformed command");
  for (std::size_t size = 0; size < good.size(); ++size) {
    static_cast<void>(refusal(player, core::ByteView(good).first(size)));
    const Velocity& now = get<Velocity>(player.entity);
    EXPECT_TRUE(std::isfinite(now.linear.x)) << size;
  }
  flatbuffers::FlatBufferBuilder builder;
  const auto move = commands::CreateMove(builder, 1, 0);
  builder.Finish(commands::CreateCommand(builder, static_cast<commands::Body>(99), move.Union()));
  EXPECT_EQ(refusal(player, core::as_bytes(builder.GetBufferPointer(), builder.GetSize())), "unknown command");
  EXPECT_EQ(before, Velocity{});
}

TEST_F(DemoGameTest, FlippedBitsInACommandNeverDoMoreThanAMove) {
  const Player player = join();
  core::Random random(5);
  for (int i = 0; i < 5000; ++i) {
    core::Bytes command = move_command(0.6f, -0.6f);
    for (std::uint32_t flips = 1 + random.below(4); flips-- > 0;)
      command[random.below(static_cast<std::uint32_t>(command.size()))] ^=
          static_cast<std::byte>(1u << random.below(8));
    static_cast<void>(refusal(player, command));
    if (i % 50 == 0) ticks(1);
    const Velocity& velocity = get<Velocity>(player.entity);
    ASSERT_LE(std::hypot(velocity.linear.x, velocity.linear.z), 4.01f);
    const Transform& transform = get<Transform>(player.entity);
    ASSERT_TRUE(std::isfinite(transform.position.x) && std::isfinite(transform.position.z));
  }
}

TEST_F(DemoGameTest, ARotationStaysARotationHoweverSmallTheMove) {
  const Player player = join();
  for (const float tiny : {1e-3f, 1e-6f, 1e-20f, 1e-23f, 1e-38f, std::numeric_limits<float>::denorm_min()}) {
    for (const auto& [x, z] : std::vector<std::pair<float, float>>{{tiny, 0}, {0, tiny}, {-tiny, -tiny}, {0, -tiny}}) {
      ASSERT_EQ(refusal(player, move_command(x, z)), "");
      ticks(1);
      const auto& turn = get<Transform>(player.entity).rotation;
      EXPECT_NEAR(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w, 1, 1e-3) << x << " " << z;
    }
  }
}

TEST_F(DemoGameTest, ACommandWithoutAnAvatarIsRefused) {
  const Player player = join();
  world->destroy_tree(player.entity);
  EXPECT_EQ(refusal(player, mobula::client::tag_command(1, 0, 0)), "no avatar");
  const Player bodiless{.id = player.id, .name = "ada", .entity = {}};  // as the server gives it
  EXPECT_EQ(refusal(bodiless, move_command(1, 0)), "no entity");
  ticks(5);
}

TEST_F(DemoGameTest, NobodyLeavesTheWorld) {
  const Player player = join();
  world->registry().get<Transform>(player.entity).position.x = 499;
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(40);
  EXPECT_LE(get<Transform>(player.entity).position.x, 500.0f);
}

}  // namespace
}  // namespace demo

// A session that lasts: datagrams, deltas, acknowledgements, events and commands beyond 65,536 of each, under loss.
#include <gtest/gtest.h>

#include <seeds.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

// Sends everyone the number of each tick, reliably.
class NumberingGame : public test::TinyGame {
 public:
  void tick(World& world) override {
    TinyGame::tick(world);
    const std::uint32_t number = ++sent;
    EXPECT_TRUE(world.events().send(core::as_bytes(&number, 1), Audience::everyone(), Reliability::reliable).ok());
  }
  std::uint32_t sent = 0;
};

TEST(ServerLong, EventsCommandsAndDeltasGoOnAcrossEveryWrap) {
  const std::uint64_t ticks = test::few_or_all(3000, 70'000);
  NumberingGame game;
  test::Village village(game, ServerConfig{.verify_one_in = 1},
                        {.latency = 40 * core::millisecond, .jitter = 20 * core::millisecond, .loss_ppm = 100'000});
  test::Village::Client& ada = village.join("ada");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(ada); }));
  game.churn = 3;
  std::uint32_t last = 0;
  std::uint32_t commands = 0;
  for (std::uint64_t i = 0; i < ticks; ++i) {
    ada.connection.set_command(test::move_command(static_cast<float>(++commands % 100), 0));
    village.tick();
    for (const client::ReceivedEvent& event : ada.connection.events()) {
      const auto number = core::load<std::uint32_t>(event.bytes.data());
      ASSERT_TRUE(last == 0 || number == last + 1) << "tick " << i;
      last = number;
    }
    if (i % 1000 == 999) ASSERT_LT(game.sent - last, 60u) << "tick " << i;
  }
  EXPECT_EQ(ada.connection.stats().mismatched_ticks, 0u);
  EXPECT_GT(ada.connection.stats().verified_ticks, ticks / 4);
  EXPECT_EQ(ada.connection.stats().refused_commands, 0u);
  game.churn = 0;
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(ada); }));
}

}  // namespace
}  // namespace mobula::server

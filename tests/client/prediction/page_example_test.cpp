#include <client/prediction/page_example.hpp>

#include <gtest/gtest.h>

#include <client/prediction/slide_game.hpp>
#include <server/hamlet.hpp>

namespace mobula::test {
namespace {

TEST(PredictionPage, TheExampleMovesItsAvatarBeforeTheServerDoes) {
  SlideGame game;
  Village village(game, {}, {.latency = 100 * core::millisecond});
  Village::Client& client = village.join("somebody", court_schema());
  PredictedPlayer player(client.connection);
  const auto tick = [&] {
    village.tick();
    player.frame(village.now, client.port);
  };
  for (int i = 0; i < 100; ++i) tick();
  const core::Bytes right(1, std::byte{'r'});
  client.input->set_command(right);
  for (int i = 0; i < 2; ++i) tick();
  EXPECT_GT(player.x(), 0.01f);
  EXPECT_EQ(player.steps(), 1);
  EXPECT_EQ(village.server->world().registry().get<const court::Body>(client.connection.player_entity()).position.x, 0);
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_EQ(player.prediction().stats().remote_mispredictions, 0u);
  const auto& truth = village.server->world().registry().get<const court::Body>(client.connection.player_entity());
  EXPECT_NEAR(player.x(), truth.position.x, 0.1f) << "it slides on while rounding keeps its velocity";
}

}  // namespace
}  // namespace mobula::test

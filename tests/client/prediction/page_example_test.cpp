#include <client/prediction/page_example.hpp>

#include <gtest/gtest.h>

#include <client/prediction/court_rules.hpp>
#include <server/hamlet.hpp>

namespace mobula::test {
namespace {

// A game whose players slide about as on the page. Commands are single letters.
class SlideGame : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return court::schema_bytes(); }
  [[nodiscard]] const prediction::Rules* rules() const override { return &page_rules(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    const core::Result<ecs::Entity> avatar = world.create(court::Body{}, court::Surface{});
    if (avatar) world.registry().add<server::Relevance>(*avatar).owner = player.id;
    return avatar;
  }
  void leave(server::World& world, const server::Player& player) override { world.destroy(player.entity); }
  server::CommandTable commands() override {
    const auto open = [](core::ByteView bytes) {
      return bytes.size() == 1 ? std::optional(server::CommandTable::Opened{1, bytes.data()}) : std::nullopt;
    };
    server::CommandTable table(open);
    table.add_predicted(1, "step", {});
    return table;
  }
};

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

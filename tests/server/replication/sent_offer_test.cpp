#include <gtest/gtest.h>

#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/server/replication/sent_offer.hpp>
#include <seeds.hpp>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class SentOfferTest : public testing::Test {
 protected:
  // Sends an update of the offer. Returns the offers that arrive.
  std::vector<wire::ResourceOffer> updated() {
    EXPECT_TRUE(offer.update(village.server->world(), lane).ok());
    lane.flush(0, [&](core::ByteView body) { peer.receive(body, 0); });
    std::vector<wire::ResourceOffer> offers;
    core::Bytes bytes;
    while (peer.next_reliable(bytes))
      offers.push_back(std::get<wire::ResourceOffer>(wire::decode_message(bytes).value()));
    return offers;
  }
  void acknowledge() {
    peer.flush(core::second, [&](core::ByteView body) { lane.receive(body, core::second); });
  }
  void reload(const std::shared_ptr<const resource::Resource>& level) {
    ASSERT_TRUE(village.server->reload_level(level).ok());
  }

  test::TinyGame game;
  test::Village village{game, {.level = test::hamlet()}};
  transport::Session lane{{}, 0};
  transport::Session peer{{}, 0};
  SentOffer offer;
};

TEST_F(SentOfferTest, AWelcomeNeedsNoFurtherOffer) {
  offer.on_welcome(village.server->world());
  EXPECT_TRUE(updated().empty());
  EXPECT_TRUE(offer.is_delivered(lane));
}

TEST_F(SentOfferTest, EachReloadIsOfferedOnceWithItsFirstTick) {
  offer.on_welcome(village.server->world());
  village.ticks(7);
  for (const auto& level : {test::rebuilt_hamlet(), test::hamlet()}) {
    const ecs::Tick first_tick = village.server->world().tick();
    reload(level);
    const std::vector<wire::ResourceOffer> offers = updated();
    ASSERT_EQ(offers.size(), 1u);
    ASSERT_EQ(offers[0].resources.size(), 1u);
    EXPECT_EQ(offers[0].resources[0].identity, level->identity());
    EXPECT_EQ(offers[0].resources[0].size, level->clients_bytes().size());
    EXPECT_EQ(offers[0].resources[0].first_tick, first_tick);
    EXPECT_FALSE(offer.is_delivered(lane));
    acknowledge();
    EXPECT_TRUE(offer.is_delivered(lane));
    EXPECT_TRUE(updated().empty());
    village.ticks(3);
  }
}

TEST_F(SentOfferTest, TwoReloadsBetweenTicksAreOneOffer) {
  offer.on_welcome(village.server->world());
  reload(test::rebuilt_hamlet());
  reload(test::hamlet());
  const std::vector<wire::ResourceOffer> offers = updated();
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers[0].resources[0].identity, test::hamlet()->identity());
}

TEST_F(SentOfferTest, AWelcomeOfAResumedSessionReplacesTheOffer) {
  offer.on_welcome(village.server->world());
  reload(test::rebuilt_hamlet());
  EXPECT_EQ(updated().size(), 1u);
  offer.on_welcome(village.server->world());
  EXPECT_TRUE(offer.is_delivered(transport::Session({}, 0))) << "another connection";
  EXPECT_TRUE(updated().empty());
}

TEST(OfferedResources, AWorldWithoutALevelOffersNothing) {
  test::TinyGame game;
  test::Village village(game);
  EXPECT_TRUE(offered_resources(village.server->world()).empty());
}

// Whatever is lost, a client knows which level a complete tick has read.
TEST(OfferedResources, ACompleteTickComesAfterItsOffer) {
  test::for_each_seed(1, 3, 400, [](std::uint64_t seed) {
    test::TinyGame game;
    test::Village village(game, {.level = test::hamlet()}, {.latency = 60 * core::millisecond, .loss_ppm = 300'000},
                          seed);
    client::ResourceMemory store;
    const client::Connection& client =
        village.join(client::ConnectionConfig{.transport = {}, .name = "ada", .schema = {}, .resources = &store})
            .connection;
    ASSERT_TRUE(village.tick_until([&] { return client.complete(); }));
    for (int i = 0; i < 12; ++i) {
      const auto& level = i % 2 == 0 ? test::rebuilt_hamlet() : test::hamlet();
      const ecs::Tick first_tick = village.server->world().tick();
      ASSERT_TRUE(village.server->reload_level(level).ok());
      const auto has_tick = [&] { return client.complete() && client.mirror()->tick() >= first_tick; };
      ASSERT_TRUE(village.tick_until(has_tick));
      ASSERT_EQ(client.levels().offers().back().first_tick, first_tick);
      EXPECT_EQ(client.levels().offers().back().identity, level->identity());
    }
    EXPECT_TRUE(village.tick_until([&] { return client.levels().is_here(village.server->world().tick()); }));
  });
}

}  // namespace
}  // namespace mobula::server

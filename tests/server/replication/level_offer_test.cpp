#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <headless/temporary_folder.hpp>
#include <limits>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

// The demo's village of ten thousand entities, some of which move from the first tick on.
class LevelOfferTest : public testing::Test {
 protected:
  LevelOfferTest() {
    auto reception = store_.receive(level->identity(), level->clients_bytes().size());
    EXPECT_TRUE(*(*reception)->append(0, level->clients_bytes()));
  }

  static ServerConfig with_level() {
    ServerConfig config;
    config.level = test::village();
    return config;
  }
  test::Village::Client& join(test::Village& village, bool has_level) {
    return village.join(client::ConnectionConfig{.transport = {},
                                                 .name = has_level ? "has it" : "has not",
                                                 .schema = test::game_schema(),
                                                 .resources = has_level ? &store_ : nullptr});
  }
  static std::uint64_t bytes(const test::Village::Client& client) {
    return client.connection.session().stats().bytes_received;
  }

  const std::shared_ptr<const resource::Resource> level = test::village();

 private:
  const client::TemporaryFolder folder_ = std::move(*client::TemporaryFolder::make());
  client::ResourceFolder store_ = *client::ResourceFolder::open(folder_.path());
};

TEST_F(LevelOfferTest, AClientWithTheLevelMirrorsTheSame) {
  demo::DemoGame game;
  test::Village village(game, with_level(), {.latency = 30 * core::millisecond, .loss_ppm = 20'000});
  village.ticks(40);
  test::Village::Client& has = join(village, true);
  ASSERT_TRUE(village.tick_until([&] { return has.connection.complete(); }));
  const std::uint64_t cost = bytes(has);
  test::Village::Client& has_not = join(village, false);
  ASSERT_TRUE(village.tick_until([&] { return has_not.connection.complete(); }));
  EXPECT_LT(cost, 16u * 1024);
  EXPECT_LT(cost * 8, bytes(has_not));

  ecs::Registry& registry = village.server->world().registry();
  std::vector<ecs::Entity> destroyed;
  for (std::uint32_t i = 0; i < 100; ++i) {
    village.tick();
    if (i % 10 == 0) registry.destroy(destroyed.emplace_back(village.server->published().entity(900u + i).entity));
  }
  has.connection.mirror()->check();
  EXPECT_GT(has.connection.stats().verified_ticks, 50u);
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
  EXPECT_EQ(has_not.connection.stats().mismatched_ticks, 0u);
  const client::Mirror& whole = *has.connection.mirror();
  const client::Mirror& seen = *has_not.connection.mirror();
  EXPECT_GT(whole.size(), seen.size()) << "a copy of the level has what is far away too";
  for (const ecs::Entity entity : destroyed) EXPECT_FALSE(whole.registry().valid(entity)) << to_string(entity);
  std::size_t standing = 0;
  seen.registry().entities().each([&](ecs::Entity entity) {
    if (seen.tick_of(entity) == 0 || registry.has<Relevance>(entity)) return;  // which each sees from where it is
    EXPECT_NE(whole.tick_of(entity), 0u) << to_string(entity);
    ++standing;
  });
  EXPECT_GT(standing, 1000u);
}

// A zone has the part of the level that is in its region, at indices of its own.
TEST_F(LevelOfferTest, AClientOfAZoneMirrorsItsPartOfTheLevel) {
  constexpr float far = std::numeric_limits<float>::infinity();
  constexpr std::uint32_t first = 65'536;
  demo::DemoGame game;
  ServerConfig config = with_level();
  config.entities_max = 2 * first;
  config.zone = ZoneConfig{.own = {.first = first, .end = 2 * first},
                           .zone = {0, {.x_min = 0, .z_min = -far, .x_max = far, .z_max = far}},
                           .neighbour = {}};
  test::Village village(game, std::move(config));
  const std::size_t entities = village.server->world().registry().entities().size();
  EXPECT_GT(entities, 3000u);
  EXPECT_LT(entities, 7000u);
  test::Village::Client& has = join(village, true);
  ASSERT_TRUE(village.tick_until([&] { return has.connection.complete(); }));
  EXPECT_LT(bytes(has), 16u * 1024);
  village.ticks(60);
  EXPECT_GT(has.connection.stats().verified_ticks, 50u);
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
  has.connection.mirror()->check();
}

// A zone that a split has made gets its entities from the zone that was split.
TEST_F(LevelOfferTest, AZoneMayBeginWithoutTheLevelsEntities) {
  test::TinyGame game;
  ServerConfig config = with_level();
  config.entities_max = 2 * 65'536;
  config.zone = ZoneConfig{.own = {.first = 65'536, .end = 2 * 65'536},
                           .zone = {1, {.x_min = -99, .z_min = -99, .x_max = 99, .z_max = 99}},
                           .level = Region::nowhere(),
                           .neighbour = {}};
  test::Village village(game, std::move(config));
  EXPECT_EQ(village.server->world().registry().pool<engine::Transform>().size(), 0u);
  test::Village::Client& has = join(village, true);
  ASSERT_TRUE(village.tick_until([&] { return has.connection.complete(); }));
  village.ticks(20);
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
  EXPECT_EQ(has.connection.mirror()->registry().pool<engine::Transform>().size(), 0u);
  has.connection.mirror()->check();
}

// The same village, in which only the test changes anything.
class StillLevelOfferTest : public LevelOfferTest {
 protected:
  StillLevelOfferTest() {
    EXPECT_TRUE(village.tick_until([&] { return has.connection.complete(); }));
  }

  test::TinyGame game;
  test::Village village{game, with_level()};
  test::Village::Client& has = join(village, true);
  ecs::Registry& registry = village.server->world().registry();
  const ecs::Entity thing = village.server->world().level_range().at(7);
};

TEST_F(StillLevelOfferTest, EventsAboutUnmodifiedEntitiesAreSent) {
  test::Village::Client& has_not = join(village, false);
  ASSERT_TRUE(village.tick_until([&] { return has_not.connection.complete(); }));
  ASSERT_TRUE(
      village.server->world().events().send(core::Bytes(1), Audience::seers_of(thing), Reliability::reliable).ok());
  for (test::Village::Client* client : {&has, &has_not}) {
    ASSERT_TRUE(client->connection.mirror()->registry().valid(thing));
    EXPECT_TRUE(village.tick_until([&] { return !client->connection.events().empty(); }, 10));
  }
}

TEST_F(StillLevelOfferTest, OwnershipOfUnmodifiedEntitiesIsSent) {
  const client::Mirror& mirror = *has.connection.mirror();
  registry.add<Relevance>(thing).owner = game.players.front().id;
  EXPECT_TRUE(village.tick_until([&] { return mirror.is_owner(thing); }, 20));
  registry.get<engine::Transform>(thing).position.y += 1;  // it has an id already, and takes no second one
  village.ticks(10);
  registry.get<Relevance>(thing).owner = 0;
  EXPECT_TRUE(village.tick_until([&] { return !mirror.is_owner(thing) && mirror.tick_of(thing) != 0; }, 20));
  registry.destroy(thing);
  EXPECT_TRUE(village.tick_until([&] { return !mirror.registry().valid(thing); }, 20));
  EXPECT_GT(has.connection.stats().verified_ticks, 10u);
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
  has.connection.mirror()->check();
}

// A child that nothing has changed is in no delta, so it would stay without its parent.
TEST_F(StillLevelOfferTest, AHiddenParentTakesItsUnmodifiedChildren) {
  const ecs::EntityRange range = village.server->world().level_range();
  ecs::Entity child;
  registry.view<const engine::Parent, const engine::Transform>().each(
      [&](ecs::Entity entity, const engine::Parent& parent, const engine::Transform&) {
        if (!child && entity.index - range.first < range.count && parent.entity) child = entity;
      });
  ASSERT_TRUE(child);
  const ecs::Entity parent = registry.get<const engine::Parent>(child).entity;
  const client::Mirror& mirror = *has.connection.mirror();
  ASSERT_NE(mirror.tick_of(child), 0u);
  registry.get<engine::Transform>(parent).position.y += 1;
  registry.add<Relevance>(parent).interest_group = 5;
  EXPECT_TRUE(village.tick_until([&] { return mirror.tick_of(parent) == 0 && mirror.tick_of(child) == 0; }, 20));
  test::Village::Client& late = join(village, true);
  ASSERT_TRUE(village.tick_until([&] { return late.connection.complete(); }));
  EXPECT_EQ(late.connection.mirror()->tick_of(parent), 0u);
  EXPECT_EQ(late.connection.mirror()->tick_of(child), 0u);
  registry.get<Relevance>(parent).interest_group = 0;
  village.ticks(20);
  for (test::Village::Client* client : {&has, &late}) {
    EXPECT_NE(client->connection.mirror()->tick_of(parent), 0u);
    EXPECT_NE(client->connection.mirror()->tick_of(child), 0u);
    EXPECT_TRUE(village.mirrors(*client));
    EXPECT_EQ(client->connection.stats().mismatched_ticks, 0u);
    client->connection.mirror()->check();
  }
}

TEST_F(StillLevelOfferTest, AnEntityBeingRemovedIsNotReportedUnknown) {
  village.network.cut(has.port.from, transport::SimulatedNetwork::Way::to);
  registry.get<engine::Transform>(thing).position.y += 1;
  registry.add<Relevance>(thing).interest_group = 5;
  village.ticks(4);
  ClientView& view = *village.server->sessions()[0]->replication.view;
  wire::MirrorHashes said{.of_level = true,
                          .first = thing.index,
                          .end = thing.index + 1,
                          .tick = registry.tick(),
                          .hashes = {{.place = thing.index, .entity = thing}}};
  std::vector<wire::MirrorCorrection> corrections;
  view.compare(said, corrections);
  EXPECT_TRUE(corrections.empty()) << "the client has yet to hear that it goes";
  village.network.heal(has.port.from);
  EXPECT_TRUE(village.tick_until([&] { return has.connection.mirror()->tick_of(thing) == 0; }, 60));
  village.ticks(10);
  view.compare(said, corrections);
  ASSERT_EQ(corrections.size(), 1u);
  EXPECT_EQ(corrections[0].fault, wire::MirrorFault::unknown);
}

TEST_F(StillLevelOfferTest, LeavingAndReturningUnnoticedIsOneEntity) {
  registry.get<engine::Transform>(thing).position.y += 1;
  registry.add<Relevance>(thing).interest_group = 5;
  village.network.cut(has.port.from, transport::SimulatedNetwork::Way::from);
  village.ticks(4);
  registry.get<Relevance>(thing).interest_group = 0;
  village.ticks(8);
  EXPECT_EQ(has.connection.mirror()->tick_of(thing), 0u);
  EXPECT_FALSE(has.connection.complete()) << "it waits for what the server does not hear";
  village.network.heal(has.port.from);
  village.ticks(40);
  EXPECT_TRUE(village.mirrors(has));
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
}

}  // namespace
}  // namespace mobula::server

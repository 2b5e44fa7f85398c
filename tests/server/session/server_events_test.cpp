// Events from a game through server, network and connection to their audience.
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/schema/demo_events_generated.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <server/tiny_game.hpp>
#include <set>

namespace mobula::server::server_events_test {
namespace {

using client::Connection;
using testing::ElementsAre;
using testing::IsEmpty;

core::Bytes text(const std::string& content) {
  const core::ByteView bytes = core::as_bytes(content.data(), content.size());
  return {bytes.begin(), bytes.end()};
}

// Players stand at given places and see 50 m far. A tick calls the function of the test.
class TalkingGame : public test::TinyGame {
 public:
  [[nodiscard]] std::vector<Layer> layers() const override { return {{"near", 50, 54}}; }
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    const core::Result<ecs::Entity> entity = TinyGame::join(world, player);
    world.registry().add<engine::Transform>(*entity).position.x = places[player.name];
    if (!greeting.empty()) send(world, greeting, Audience::player(player.id), Reliability::reliable);
    return entity;
  }
  void tick(World& world) override {
    TinyGame::tick(world);
    if (on_tick) on_tick(world);
  }
  static void send(World& world, const std::string& what, const Audience& audience, Reliability reliability) {
    EXPECT_TRUE(world.events().send(text(what), audience, reliability).ok());
  }

  std::map<std::string, float> places;
  std::string greeting;
  std::function<void(World&)> on_tick;
};

struct Received {
  std::string text;
  ecs::Tick tick;
  std::uint16_t sequence;
  ecs::Entity about;
};

class ServerEvents : public testing::Test {
 protected:
  using Client = test::Village::Client;

  void start(const transport::NetworkConditions& conditions = {}, std::uint64_t seed = 1, ServerConfig config = {}) {
    village = std::make_unique<test::Village>(game, std::move(config), conditions, seed);
  }
  Client& join(const std::string& name, float x = 0) {
    game.places[name] = x;
    Client& client = village->join(name);
    const auto there = [&] { return client.connection.state() == Connection::State::playing && sees_itself(client); };
    EXPECT_TRUE(tick_until(there));
    return client;
  }
  // Runs a tick and collects the events. None is of a tick that the mirror has not reached.
  void tick() {
    village->tick();
    for (const auto& client : village->clients) {
      for (const client::ReceivedEvent& event : client->connection.events()) {
        EXPECT_LE(event.tick, client->connection.mirror()->tick());
        received[client.get()].push_back(
            {std::string(reinterpret_cast<const char*>(event.bytes.data()), event.bytes.size()), event.tick,
             event.sequence, event.about});
      }
    }
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  template <class Condition>
  bool tick_until(Condition&& condition) {
    for (int i = 0; i < 400 && !condition(); ++i) tick();
    return condition();
  }
  // Calls a function in the next tick only, and runs some more ticks.
  void once(std::function<void(World&)> what) {
    game.on_tick = [this, what = std::move(what)](World& world) {
      what(world);
      game.on_tick = nullptr;
    };
    ticks(6);
  }
  [[nodiscard]] std::vector<std::string> texts(const Client& client) {
    std::vector<std::string> all;
    for (const Received& each : received[&client]) all.push_back(each.text);
    return all;
  }
  static bool sees_itself(const Client& client) {
    const ecs::Entity own = client.connection.player_entity();
    return own && client.connection.mirror() != nullptr && client.connection.mirror()->tick_of(own) != 0;
  }
  [[nodiscard]] World& world() { return village->server->world(); }
  ecs::Entity make(float x) {
    const ecs::Entity entity = world().registry().create();
    world().registry().add<engine::Transform>(entity).position.x = x;
    return entity;
  }

  TalkingGame game;
  std::unique_ptr<test::Village> village;
  std::map<const Client*, std::vector<Received>> received;
};

constexpr std::array both{Reliability::reliable, Reliability::unreliable};

TEST_F(ServerEvents, ArriveWithTheirTickInTheOrderSent) {
  start({.latency = 70 * core::millisecond});
  Client& ada = join("ada");
  std::vector<std::string> sent;
  game.on_tick = [&](World& in) {
    for (int i = 0; i < 5; ++i) {
      sent.push_back(std::to_string(in.tick()) + ":" + std::to_string(i));
      TalkingGame::send(in, sent.back(), Audience::everyone(), both[static_cast<std::size_t>(i % 2)]);
    }
  };
  ticks(30);
  game.on_tick = nullptr;
  ticks(10);
  EXPECT_EQ(texts(ada), sent);
  for (const Received& each : received[&ada]) {
    EXPECT_EQ(each.text, std::to_string(each.tick) + ":" + std::to_string(each.sequence));
    EXPECT_FALSE(each.about);
  }
  EXPECT_EQ(ada.connection.stats().events, sent.size());
}

TEST_F(ServerEvents, ArriveAtTheirAudienceOnly) {
  start();
  Client& ada = join("ada", 0);
  Client& bob = join("bob", 20);
  Client& far = join("far", 300);
  ASSERT_TRUE(world().viewer(game.players[2].id).join_group(7));
  const ecs::Entity bell = make(10);
  ticks(10);
  for (const Reliability reliability : both) {
    received.clear();
    once([&](World& in) {
      TalkingGame::send(in, "all", Audience::everyone(), reliability);
      TalkingGame::send(in, "bob", Audience::player(game.players[1].id), reliability);
      TalkingGame::send(in, "bell", Audience::seers_of(bell), reliability);
      TalkingGame::send(in, "seven", Audience::interest_group(7), reliability);
    });
    EXPECT_THAT(texts(ada), ElementsAre("all", "bell"));
    EXPECT_THAT(texts(bob), ElementsAre("all", "bob", "bell"));
    EXPECT_THAT(texts(far), ElementsAre("all", "seven"));
    EXPECT_EQ(received[&ada][1].about, bell);
    EXPECT_FALSE(received[&ada][0].about);
  }
}

TEST_F(ServerEvents, VisibilityIsThatOfTheEndOfTheTick) {
  start();
  Client& ada = join("ada", 0);
  const ecs::Entity ship = make(200);
  ticks(10);
  once([&](World& in) { TalkingGame::send(in, "far", Audience::seers_of(ship), Reliability::reliable); });
  EXPECT_THAT(texts(ada), IsEmpty());
  world().registry().get<engine::Transform>(ship).position.x = 30;
  ticks(10);
  once([&](World& in) { TalkingGame::send(in, "near", Audience::seers_of(ship), Reliability::reliable); });
  EXPECT_THAT(texts(ada), ElementsAre("near"));
  // An event about an entity may be sent in the tick in which it is destroyed.
  once([&](World& in) {
    TalkingGame::send(in, "sunk", Audience::seers_of(ship), Reliability::reliable);
    in.registry().destroy(ship);
  });
  EXPECT_THAT(texts(ada), ElementsAre("near", "sunk"));
  EXPECT_EQ(received[&ada][1].about, ship);
  EXPECT_FALSE(ada.connection.mirror()->registry().valid(ship)) << "destroyed in the tick of the event";
  ecs::Entity sudden;
  once([&](World&) {
    sudden = make(5);
    TalkingGame::send(world(), "spawned", Audience::seers_of(sudden), Reliability::reliable);
  });
  EXPECT_EQ(texts(ada).back(), "spawned");
}

// This holds also for a client that has not acknowledged the loss of visibility, or has not been sent it.
TEST_F(ServerEvents, AnInvisibleEntityCausesNoEvents) {
  start();
  Client& ada = join("ada", 0);
  const ecs::Entity ship = make(30);
  ticks(10);
  const auto sail = [&](float to) { world().registry().get<engine::Transform>(ship).position.x = to; };
  const auto send_about_ship = [&] {
    once([&](World& in) { TalkingGame::send(in, "ship", Audience::seers_of(ship), Reliability::reliable); });
  };
  send_about_ship();
  EXPECT_THAT(texts(ada), ElementsAre("ship"));
  village->network.cut(ada.port.from, transport::SimulatedNetwork::Way::from);
  for (const float to : {200.f, 52.f}) {  // then back, but not within the enter radius
    sail(to);
    ticks(6);
    send_about_ship();
  }
  village->network.heal(ada.port.from);
  sail(30);
  ticks(20);
  village->full = ada.port.from;
  sail(200);
  ticks(6);
  send_about_ship();
  once([&](World& in) {
    TalkingGame::send(in, "sunk", Audience::seers_of(ship), Reliability::reliable);
    in.registry().destroy(ship);
  });
  village->full = {};
  ticks(20);
  EXPECT_THAT(texts(ada), ElementsAre("ship"));
}

TEST_F(ServerEvents, UnmodifiedLevelEntitiesCauseEventsIfVisible) {
  const std::string folder = testing::TempDir() + "mobula_events." + std::to_string(::getpid());
  client::ResourceFolder store = *client::ResourceFolder::open(folder);
  ServerConfig config;
  config.level = test::hamlet();
  start({}, 1, config);
  const auto stored = [&] { return store.find(test::hamlet()->identity()) != nullptr; };
  village->join({.transport = {}, .name = "first", .schema = {}, .resources = &store});
  ASSERT_TRUE(tick_until(stored));
  Client& ada = village->join({.transport = {}, .name = "ada", .schema = {}, .resources = &store});
  ASSERT_TRUE(tick_until([&] { return sees_itself(ada) && ada.connection.complete(); }));
  ecs::Entity near;
  ecs::Entity beside;  // between the enter and the leave radius
  ecs::Entity far;
  world().registry().view<const hierarchy::WorldTransform>().each(
      [&](ecs::Entity entity, const hierarchy::WorldTransform& at) {
        if (entity.index - world().level_range().first >= world().level_range().count) return;
        const float distance = std::hypot(at.position.x, at.position.z);
        if (distance < 40) near = entity;
        if (distance > 51 && distance < 53) beside = entity;
        if (distance > 55) far = entity;
      });
  ASSERT_TRUE(near && beside && far);
  for (const ecs::Entity each : {beside, far})
    ASSERT_TRUE(ada.connection.mirror()->registry().valid(each)) << "the client has the level on disk";
  once([&](World& in) {
    TalkingGame::send(in, "near", Audience::seers_of(near), Reliability::reliable);
    TalkingGame::send(in, "beside", Audience::seers_of(beside), Reliability::reliable);
    TalkingGame::send(in, "far", Audience::seers_of(far), Reliability::reliable);
  });
  EXPECT_THAT(texts(ada), ElementsAre("near"));
  for (const ecs::Entity each : {near, far})
    once([&](World& in) {
      TalkingGame::send(in, each == near ? "broken" : "broken afar", Audience::seers_of(each), Reliability::reliable);
      in.registry().destroy(each);
    });
  EXPECT_THAT(texts(ada), ElementsAre("near", "broken"));
  std::filesystem::remove_all(folder);
}

TEST_F(ServerEvents, ReliableOnesArriveOnceAndInOrderDespiteLoss) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    received.clear();
    game.on_tick = nullptr;
    start({.latency = 40 * core::millisecond,
           .jitter = 20 * core::millisecond,
           .loss_ppm = 200'000,
           .duplicate_ppm = 50'000,
           .reorder_ppm = 50'000},
          seed);
    Client& ada = join("ada");
    std::vector<std::string> reliable;
    std::size_t unreliable = 0;
    game.on_tick = [&](World& in) {
      const std::string name = std::to_string(in.tick());
      TalkingGame::send(in, "u" + name, Audience::everyone(), Reliability::unreliable);
      TalkingGame::send(in, reliable.emplace_back("r" + name), Audience::everyone(), Reliability::reliable);
      ++unreliable;
    };
    ticks(200);
    game.on_tick = nullptr;
    ticks(60);
    std::vector<std::string> received_reliable;
    std::map<std::string, int> received_unreliable;
    for (const Received& each : received[&ada]) {
      EXPECT_EQ(each.text.substr(1), std::to_string(each.tick));
      each.text[0] == 'r' ? received_reliable.push_back(each.text) : void(++received_unreliable[each.text]);
    }
    EXPECT_EQ(received_reliable, reliable);
    for (const auto& [name, times] : received_unreliable) EXPECT_EQ(times, 1) << name;
    EXPECT_LT(received_unreliable.size(), unreliable) << "some unreliable events are lost";
    EXPECT_GT(received_unreliable.size(), unreliable / 2);
    EXPECT_EQ(ada.connection.stats().mismatched_ticks, 0u);
  }
}

TEST_F(ServerEvents, AnEventSentAtAJoinArrivesWithTheFirstTick) {
  game.greeting = "welcome";
  start({.latency = 100 * core::millisecond, .loss_ppm = 200'000}, 5);
  Client& ada = join("ada");
  ASSERT_TRUE(tick_until([&] { return !received[&ada].empty(); }));
  Client& bob = join("bob");
  ASSERT_TRUE(tick_until([&] { return !received[&bob].empty(); }));
  ticks(20);
  EXPECT_THAT(texts(ada), ElementsAre("welcome"));
  EXPECT_THAT(texts(bob), ElementsAre("welcome"));
}

TEST_F(ServerEvents, ALostConnectionMissesOnlyTheEventsOfItsTime) {
  start();
  Client& ada = join("ada");
  ticks(10);
  once([&](World& in) { TalkingGame::send(in, "before", Audience::everyone(), Reliability::reliable); });
  ada.connection.pipe_closed("the cable was pulled", village->now);
  tick();
  ASSERT_TRUE(ada.connection.can_rejoin());
  ada.port.from.port = 6000;
  village->server->pipe_closed(transport::Address::v4(10, 1, 0, 1, 5000), village->now);
  once([&](World& in) { TalkingGame::send(in, "meanwhile", Audience::everyone(), Reliability::reliable); });
  ada.connection.rejoin(village->now);
  ASSERT_TRUE(tick_until([&] { return ada.connection.state() == Connection::State::playing; }));
  ticks(10);
  once([&](World& in) { TalkingGame::send(in, "after", Audience::everyone(), Reliability::reliable); });
  EXPECT_THAT(texts(ada), ElementsAre("before", "after"));
}

// The client resumes over the same address, after the server noticed the loss, or over another one. Events are in
// flight each time.
TEST_F(ServerEvents, ContinueInOrderAndOnceAfterARejoin) {
  start({.latency = 70 * core::millisecond, .jitter = 20 * core::millisecond, .loss_ppm = 100'000}, 3);
  Client& ada = join("ada");
  game.on_tick = [](World& in) {
    for (const Reliability reliability : both)
      TalkingGame::send(in, reliability == Reliability::reliable ? "r" : "u", Audience::everyone(), reliability);
  };
  ticks(30);
  constexpr std::uint16_t rejoins = 6;
  for (std::uint16_t time = 0; time < rejoins; ++time) {
    const bool same_way = time % 2 != 0;
    ada.connection.pipe_closed("the cable was pulled", village->now);
    if (same_way) village->server->pipe_closed(ada.port.from, village->now);
    tick();
    ASSERT_TRUE(ada.connection.can_rejoin());
    if (!same_way) ada.port.from.port = static_cast<std::uint16_t>(6000 + time);
    ada.connection.rejoin(village->now);
    ASSERT_TRUE(tick_until([&] { return ada.connection.state() == Connection::State::playing; }))
        << to_string(ada.connection.reason());
    ticks(30);
  }
  std::set<std::pair<ecs::Tick, std::string>> all;
  ecs::Tick last = 0;
  int gaps = 0;
  for (const Received& each : received[&ada]) {
    EXPECT_TRUE(all.emplace(each.tick, each.text).second) << each.text << " of tick " << each.tick << " again";
    if (each.text != "r") continue;
    EXPECT_GT(each.tick, last);
    if (std::exchange(last, each.tick) + 1 != each.tick) ++gaps;
  }
  EXPECT_EQ(gaps, 1 + rejoins) << "before the first event, and during each disconnection";
  EXPECT_GT(all.size(), rejoins * 50u);
}

TEST(DemoEvents, ATakenPickupIsReportedToViewersWithItsTaker) {
  demo::DemoGame game;
  ServerConfig config;
  config.level = test::hamlet();
  test::Village village(game, config, {.latency = 30 * core::millisecond, .loss_ppm = 100'000});
  test::Village::Client& ada = village.join("ada");
  test::Village::Client& bob = village.join("bob");
  ASSERT_TRUE(village.tick_until([&] { return ada.connection.complete() && bob.connection.complete(); }));
  ecs::Registry& registry = village.server->world().registry();
  const ecs::Entity taker = ada.connection.player_entity();
  registry.get<engine::Transform>(bob.connection.player_entity()).position = {12, 0, 12};
  ecs::Entity coin;  // the farthest coin
  registry.view<const demo::Pickup, const engine::Transform>().each(
      [&](ecs::Entity entity, const demo::Pickup&, const engine::Transform& at) {
        if (at.position.x < -8 && at.position.z < -8) coin = entity;
      });
  ASSERT_TRUE(coin);
  village.ticks(10);
  registry.get<engine::Transform>(taker).position = registry.get<const engine::Transform>(coin).position;
  std::map<const test::Village::Client*, int> received;
  for (int i = 0; i < 40; ++i) {
    village.tick();
    for (const auto& client : village.clients) {
      for (const client::ReceivedEvent& event : client->connection.events()) {
        flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(event.bytes.data()), event.bytes.size());
        ASSERT_TRUE(demo::events::VerifyEventBuffer(verifier));
        const auto* taken = demo::events::GetEvent(event.bytes.data())->body_as_PickupTaken();
        ASSERT_NE(taken, nullptr);
        if (event.about != coin) continue;
        ++received[client.get()];
        EXPECT_EQ((ecs::Entity{taken->by()->index(), taken->by()->generation()}), taker);
        EXPECT_EQ(taken->amount(), 1);
        EXPECT_FALSE(client->connection.mirror()->registry().valid(coin)) << "it is destroyed in that tick";
      }
    }
  }
  EXPECT_EQ(received[&ada], 1);
  EXPECT_EQ(received[&bob], 1);
}

}  // namespace
}  // namespace mobula::server::server_events_test

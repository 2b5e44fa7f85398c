// Events about entities that a client does not have yet: they wait for them.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <server/tiny_game.hpp>

namespace mobula::server::server_held_events_test {
namespace {

using client::Presence;
using ecs::Entity;

class CrateGame : public test::TinyGame {
 public:
  void tick(World& world) override {
    if (const auto what = std::exchange(once, nullptr)) what(world);
  }
  std::function<void(World&)> once;
};

class ServerHeldEvents : public testing::Test {
 protected:
  using Client = test::Village::Client;

  // A round trip of 200 ms, and 5% loss.
  void start(std::uint32_t delta_bytes_per_tick_max = 1200) {
    ServerConfig config;
    config.delta_bytes_per_tick_max = delta_bytes_per_tick_max;
    village = std::make_unique<test::Village>(
        game, config, transport::NetworkConditions{.latency = 100 * core::millisecond, .loss_ppm = 50'000});
  }
  // Makes crates of a composition that nothing has had, with an event about each.
  void make_crates(World& world, int count, Reliability reliability) {
    for (int i = 0; i < count; ++i) {
      const Entity crate = world.registry().create();
      world.registry().add<engine::Transform>(crate).position.x = static_cast<float>(i);
      world.registry().add<demo::Health>(crate);
      world.registry().add<demo::Name>(crate);
      crates.push_back(crate);
      send(world, crate, reliability);
    }
  }
  static void send(World& world, Entity about, Reliability reliability) {
    const core::Bytes bytes(4);
    EXPECT_TRUE(world.events().send(bytes, Audience::seers_of(about), reliability).ok());
  }
  // Runs a tick and counts the events by presence of their entity, which is compared with the mirror.
  void tick(Client& client) {
    village->tick();
    for (const client::ReceivedEvent& event : client.connection.events()) {
      const bool has_it = client.connection.mirror()->tick_of(event.about) != 0;
      EXPECT_EQ(event.presence == Presence::in_view, has_it) << to_string(event.about);
      ++received[event.presence];
      order[event.about].push_back(event.tick);
    }
  }
  void ticks(Client& client, int count) {
    for (int i = 0; i < count; ++i) tick(client);
  }
  [[nodiscard]] int total() {
    return received[Presence::in_view] + received[Presence::removed] + received[Presence::unknown];
  }
  Client& join() {
    Client& client = village->join("ada");
    EXPECT_TRUE(village->tick_until([&] { return client.connection.complete(); }));
    return client;
  }

  CrateGame game;
  std::unique_ptr<test::Village> village;
  std::vector<Entity> crates;
  std::map<Presence, int> received;
  std::map<Entity, std::vector<ecs::Tick>> order;
};

TEST_F(ServerHeldEvents, EventsOfTwoThousandNewCratesFollowThem) {
  for (const Reliability reliability : {Reliability::reliable, Reliability::unreliable}) {
    received.clear();
    crates.clear();
    start();
    Client& ada = join();
    game.once = [&](World& world) { make_crates(world, 2000, reliability); };
    ticks(ada, 300);
    for (int i = 0; i < 40 && !ada.connection.complete(); ++i) tick(ada);  // the newest deltas may be lost
    ASSERT_TRUE(ada.connection.complete());
    EXPECT_EQ(received[Presence::removed] + received[Presence::unknown], 0);
    if (reliability == Reliability::reliable) {
      EXPECT_EQ(received[Presence::in_view], 2000);
    } else {
      EXPECT_GT(received[Presence::in_view], 1500) << "some are lost";
    }
  }
}

TEST_F(ServerHeldEvents, EventsOfTheFirstTickAfterWelcomeWait) {
  start();
  game.once = [&](World& world) { make_crates(world, 500, Reliability::unreliable); };
  village->tick();
  Client& ada = village->join("ada");
  for (int i = 0; i < 200; ++i) {
    game.once = [&](World& world) { send(world, crates[static_cast<std::size_t>(i)], Reliability::reliable); };
    tick(ada);
  }
  ticks(ada, 50);
  EXPECT_EQ(received[Presence::in_view], total());
  EXPECT_GT(total(), 150);
}

TEST_F(ServerHeldEvents, AnEntityThatWasNeverSentIsRemoved) {
  start(100'000);
  Client& ada = join();
  game.once = [&](World& world) { make_crates(world, 3, Reliability::reliable); };
  village->network.cut(ada.port.from, transport::SimulatedNetwork::Way::to);
  ticks(ada, 1);
  game.once = [&](World& world) {
    send(world, crates[0], Reliability::reliable);
    world.destroy(crates[0]);
  };
  ticks(ada, 4);
  village->network.heal(ada.port.from);
  ticks(ada, 60);
  EXPECT_EQ(received[Presence::removed], 2) << "of its spawn, and of its end";
  EXPECT_EQ(received[Presence::in_view], 2);
  EXPECT_EQ(received[Presence::unknown], 0);
}

TEST_F(ServerHeldEvents, ADestroyedEntityIsRemovedAtOnce) {
  start(100'000);
  Client& ada = join();
  game.once = [&](World& world) { make_crates(world, 2, Reliability::reliable); };
  ticks(ada, 40);
  ASSERT_EQ(received[Presence::in_view], 2);
  game.once = [&](World& world) {
    send(world, crates[0], Reliability::reliable);
    world.destroy(crates[0]);
  };
  ticks(ada, 12);
  EXPECT_EQ(received[Presence::removed], 1);
}

TEST_F(ServerHeldEvents, EventsAboutOneEntityKeepTheirOrder) {
  start();
  Client& ada = join();
  game.once = [&](World& world) { make_crates(world, 1000, Reliability::reliable); };
  for (int i = 0; i < 40; ++i) {
    tick(ada);
    game.once = [&](World& world) {
      for (std::size_t crate = 0; crate < crates.size(); crate += 50) send(world, crates[crate], Reliability::reliable);
    };
  }
  ticks(ada, 200);
  EXPECT_EQ(received[Presence::in_view], total());
  for (const auto& [crate, events] : order) EXPECT_TRUE(std::ranges::is_sorted(events)) << to_string(crate);
}

}  // namespace
}  // namespace mobula::server::server_held_events_test

// Newcomers that take turns, on a clock that passes with the work: each reading of it takes `work`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/server/session/server.hpp>
#include <resource/test_level.hpp>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using State = ClientSession::State;

class NewcomersTest : public testing::Test {
 protected:
  using Client = test::Village::Client;
  static constexpr core::Nanoseconds no_time_left = test::Village::tick_length;  // more than any budget

  [[nodiscard]] ServerConfig config(std::shared_ptr<const resource::Resource> level = nullptr) {
    ServerConfig config;
    config.level = std::move(level);
    config.work_clock = [this] { return work_time += work; };
    return config;
  }
  void join(int count) {
    for (int i = 0; i < count; ++i) village.join("newcomer " + std::to_string(village.clients.size()));
  }
  Client& join_and_play() {
    Client& client = village.join("player");
    EXPECT_TRUE(village.tick_until([&] { return arrived() == 1; }));
    return client;
  }
  [[nodiscard]] std::uint64_t arrived() const { return village.server->newcomers().arrived; }
  [[nodiscard]] std::size_t in_state(State state) const {
    return static_cast<std::size_t>(
        std::ranges::count(village.server->sessions(), state, [](const auto& each) { return each->state; }));
  }
  [[nodiscard]] bool all_mirror() {
    return std::ranges::all_of(village.clients, [&](const auto& client) { return village.mirrors(*client); });
  }
  // Ticks until `arrivals` clients have arrived in all, and checks after each tick that the player was sent it.
  void all_arrive_beside(Client& player, std::uint64_t arrivals, int ticks_max) {
    for (int tick = 0; tick < ticks_max && arrived() < arrivals; ++tick) {
      const std::uint64_t ticks = player.connection.stats().ticks;
      village.tick();
      ASSERT_EQ(player.connection.stats().ticks, ticks + 1) << "tick " << tick;
    }
    EXPECT_EQ(arrived(), arrivals);
    village.ticks(2);
    EXPECT_TRUE(all_mirror());
  }

  core::Nanoseconds work = no_time_left;
  core::Nanoseconds work_time = 0;
  test::TinyGame game;
  test::Village village{game, config()};
};

TEST_F(NewcomersTest, AreAllServedInATickThatHasTime) {
  work = 0;
  join(12);
  ASSERT_TRUE(village.tick_until([&] { return game.names.size() > 0; }));
  EXPECT_EQ(game.names.size(), 12u);
  EXPECT_TRUE(village.tick_until([&] { return arrived() == 12 && all_mirror(); }));
  EXPECT_EQ(village.server->newcomers().waiting, 0u);
}

TEST_F(NewcomersTest, ComeInOneByOneIfTicksHaveNoTime) {
  join(10);
  std::size_t joined = 0;
  for (int tick = 0; tick < 200 && joined < 10; ++tick) {
    village.tick();
    EXPECT_LE(game.names.size(), joined + 1);
    joined = game.names.size();
  }
  EXPECT_EQ(joined, 10u);
  EXPECT_TRUE(village.tick_until([&] { return arrived() == 10 && all_mirror(); }, 100));
}

TEST_F(NewcomersTest, TheFirstToConnectJoinsFirst) {
  join(6);
  ASSERT_TRUE(village.tick_until([&] { return game.names.size() == 6; }));
  for (std::size_t i = 0; i < game.names.size(); ++i) EXPECT_EQ(game.names[i], "newcomer " + std::to_string(i));
}

TEST_F(NewcomersTest, TheFirstToConnectArrivesFirst) {
  join(10);
  std::vector<std::uint32_t> order;
  const auto note_arrivals = [&] {
    for (const auto& session : village.server->sessions())
      if (!session->newcomer && std::ranges::find(order, session->player.id) == order.end())
        order.push_back(session->player.id);
    return order.size() == 10;
  };
  ASSERT_TRUE(village.tick_until(note_arrivals, 200));
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_F(NewcomersTest, NoneIsAdmittedWhileAnAdmittedOneWaits) {
  join(10);
  for (int tick = 0; tick < 200 && arrived() < 10; ++tick) {
    const bool waited = village.server->newcomers().waiting > in_state(State::greeting);
    const std::size_t joined = game.names.size();
    village.tick();
    if (waited) EXPECT_EQ(game.names.size(), joined) << "tick " << tick;
  }
  EXPECT_EQ(arrived(), 10u);
}

// It has had its turns, and the pipe takes nothing.
TEST_F(NewcomersTest, AFullPipeKeepsNoPlace) {
  join(3);
  ASSERT_TRUE(village.tick_until([&] { return in_state(State::joining) + in_state(State::playing) > 0; }));
  village.full = village.clients.front()->port.from;
  EXPECT_TRUE(village.tick_until([&] { return arrived() == 2; }, 200));
}

TEST_F(NewcomersTest, PlayersAreSentEachTickMeanwhile) {
  Client& player = join_and_play();
  join(20);
  all_arrive_beside(player, 21, 300);
}

TEST_F(NewcomersTest, PlayersAreSentEachTickWhileAllRejoin) {
  Client& player = join_and_play();
  join(8);
  ASSERT_TRUE(village.tick_until([&] { return arrived() == 9; }));
  village.ticks(5);  // they receive their rejoin tokens
  for (std::size_t i = 1; i < village.clients.size(); ++i) {
    village.server->pipe_closed(village.clients[i]->port.from, village.now);
    village.clients[i]->connection.pipe_closed("cut", village.now);
  }
  village.tick();
  for (std::size_t i = 1; i < village.clients.size(); ++i) {
    ASSERT_TRUE(village.clients[i]->connection.can_rejoin());
    village.clients[i]->connection.rejoin(village.now);
  }
  EXPECT_TRUE(village.tick_until([&] { return village.server->newcomers().waiting > 0; }, 20));
  all_arrive_beside(player, 17, 200);
  EXPECT_EQ(village.server->stats().rejoins, 8u);
  EXPECT_EQ(game.names.size(), 9u) << "the game does not notice";
}

// Admissions one by one keep the last of them waiting for longer than a silent client may.
TEST_F(NewcomersTest, AHelloThatWaitsDoesNotTimeOut) {
  constexpr std::size_t clients = 60;
  join(clients);
  ASSERT_TRUE(village.tick_until([&] { return game.names.size() == clients; }, 600));
  EXPECT_TRUE(village.server->stats().refusals.empty());
  EXPECT_GT(village.now, 6 * core::second);
}

// The time for its player to arrive counts from its turn.
TEST_F(NewcomersTest, AHelloThatAwaitsAPlayerIsHeldFromItsTurnOn) {
  constexpr std::size_t clients = 60;
  join(clients);
  client::ConnectionConfig follower;
  follower.name = "follower";
  follower.awaits_player = true;
  village.join(follower);
  const auto is_held = [&] {
    return !village.server->sessions().empty() && village.server->sessions().back()->held_hello;
  };
  ASSERT_TRUE(village.tick_until(is_held, 600));
  EXPECT_GT(village.now, 6 * core::second);
  village.ticks(60);
  EXPECT_TRUE(village.server->stats().refusals.empty());
  village.ticks(60);
  EXPECT_TRUE(village.server->stats().refusals.contains("player not arrived"));
}

TEST_F(NewcomersTest, AreCountedUntilTheyArrive) {
  join(5);
  const NewcomerStats& stats = village.server->newcomers();
  ASSERT_TRUE(village.tick_until([&] { return stats.waiting > 0; }, 20));
  village.tick();
  EXPECT_EQ(stats.present, 5u);
  EXPECT_GT(stats.longest_wait, 0);
  ASSERT_TRUE(village.tick_until([&] { return stats.present == 0; }));
  EXPECT_EQ(stats.arrived, 5u);
  EXPECT_EQ(stats.arrival_ns.count(), 5u);
  EXPECT_EQ(stats.longest_wait, 0);
  village.tick();
  EXPECT_EQ(stats.waiting, 0u);
}

// The client would else wait in a full server for ever.
TEST_F(NewcomersTest, AClientThatNeverHasAllArrivesAfterItsTurns) {
  work = 0;
  ServerConfig narrow = config();
  narrow.delta_bytes_per_tick_max = 1200;
  test::Village busy(game, narrow);
  game.churn = 1000;  // more changes than a delta holds
  busy.ticks(2);
  busy.join();
  ASSERT_TRUE(busy.tick_until([&] { return game.names.size() == 1; }));
  busy.ticks(ClientSession::turns_max / 2);
  EXPECT_EQ(busy.server->newcomers().arrived, 0u);
  EXPECT_TRUE(busy.tick_until([&] { return busy.server->newcomers().arrived == 1; }, ClientSession::turns_max));
}

TEST_F(NewcomersTest, EventsOfTicksWithoutATurnReachThem) {
  join(10);
  ASSERT_TRUE(village.tick_until([&] { return in_state(State::greeting) == 0 && village.server->players() == 10; }));
  constexpr std::uint64_t sent = 20;
  for (std::uint64_t i = 0; i < sent; ++i) {
    ASSERT_TRUE(
        village.server->world().events().send(core::Bytes(1), Audience::everyone(), Reliability::reliable).ok());
    village.tick();
  }
  ASSERT_TRUE(village.tick_until([&] { return arrived() == 10; }));
  village.ticks(5);
  for (const auto& client : village.clients) EXPECT_EQ(client->connection.stats().events, sent);
}

// Clients that store the level.
class NewcomersToALevel : public NewcomersTest {
 protected:
  NewcomersToALevel() {
    stores_.reserve(clients);
    for (int i = 0; i < clients; ++i) {
      stores_.push_back(*client::ResourceFolder::open((folder_ / std::to_string(i)).string()));
      client::ConnectionConfig joins;
      joins.resources = &stores_.back();
      levelled.join(joins);
    }
  }
  ~NewcomersToALevel() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] bool all_stored() {
    return std::ranges::all_of(stores_, [&](auto& store) { return store.find(level->identity()) != nullptr; });
  }
  [[nodiscard]] const NewcomerStats& stats() const { return levelled.server->newcomers(); }

  static constexpr int clients = 4;
  const std::shared_ptr<const resource::Resource> level = test::hamlet();

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("mobula_newcomers." + std::to_string(::getpid()));
  std::vector<client::ResourceFolder> stores_;

 protected:
  test::Village levelled{game, config(level)};
};

TEST_F(NewcomersToALevel, AreSentItInTurns) {
  EXPECT_TRUE(levelled.tick_until([&] { return all_stored(); }));
  EXPECT_TRUE(levelled.tick_until([&] { return stats().arrived == clients; }));
}

// They play, and never acknowledge the level that replaces the first one.
TEST_F(NewcomersToALevel, OthersDoNotWaitForTransfersToPlayers) {
  work = 0;
  ASSERT_TRUE(levelled.tick_until([&] { return stats().arrived == clients && all_stored(); }));
  ASSERT_TRUE(levelled.server->reload_level(test::load_text(R"({"entities":{}})")).ok());
  for (const auto& client : levelled.clients) client->mute = true;
  work = no_time_left;
  for (int i = 0; i < 20; ++i) {
    levelled.tick();
    EXPECT_EQ(stats().waiting, 0u) << "only newcomers count";
  }
  levelled.join("newcomer");
  EXPECT_TRUE(levelled.tick_until([&] { return stats().arrived == clients + 1; }, 60));
}

}  // namespace
}  // namespace mobula::server

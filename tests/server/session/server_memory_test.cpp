// What a server holds, while clients come, play and go by all ways there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <examples/demo/demo_game.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/replication/sent_deltas.hpp>
#include <server/hamlet.hpp>

#include "ecs/allocations.hpp"

namespace mobula::server {
namespace {

using client::Connection;
using test::Village;

constexpr int clients = 6;

ServerConfig small_config() {
  ServerConfig config{.level = test::hamlet()};
  config.rejoin_grace = 2 * core::second;
  config.history_bytes = 1u << 16;  // or it would fill for longer than this takes
  return config;
}

class Visits {
 public:
  // Some clients, until all of them have gone and nobody is waited for.
  void one_more() {
    for (int i = 0; i < clients; ++i) village_.join("visitor");
    ticks(60);
    for (int i = 0; i < 40; ++i) {
      for (const auto& client : village_.clients)
        client->connection.set_command(test::move_command(random_.uniform(-1, 1), random_.uniform(-1, 1)));
      ticks(1);
    }
    comes_back(*village_.clients[0]);
    village_.clients[1]->connection.close(village_.clients[1]->port);
    ASSERT_TRUE(village_.server->kick(village_.server->sessions()[2]->player.id, "enough").ok());
    ticks(20);
    village_.clients.clear();
    ASSERT_TRUE(village_.tick_until([&] { return village_.server->players() == 0; }, 600));
    ticks(200);
  }

 private:
  void comes_back(Village::Client& client) {
    client.connection.pipe_closed("cut", village_.now);
    village_.server->pipe_closed(client.port.from, village_.now);
    ticks(1);
    ASSERT_TRUE(client.connection.can_rejoin());
    client.connection.rejoin(village_.now);
    ticks(20);
    ASSERT_EQ(client.connection.state(), Connection::State::playing);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) {
      village_.tick();
      village_.server->set_unix_time(test::test_unix_time + static_cast<std::uint64_t>(village_.now / core::second));
    }
  }

  core::Random random_{7};
  demo::DemoGame game_;
  Village village_{game_, small_config(), {.latency = 30 * core::millisecond, .loss_ppm = 20'000}};
};

// What is kept for the next time grows more and more seldom; what is forgotten of each client would grow each time.
TEST(ServerMemory, StaysWhereItIsWhoeverComesAndGoes) {
  constexpr int visits = 20;
  constexpr std::int64_t forgotten_of_a_client = 32;
  core::set_log_level(core::LogLevel::off);
  test::hamlet();  // made before anything is counted
  const ecs::test::CountedBytes bytes;
  Visits all;
  std::array<std::int64_t, 2> most{};
  for (int visit = 0; visit < 2 * visits; ++visit) {
    ASSERT_NO_FATAL_FAILURE(all.one_more());
    std::int64_t& now = most[static_cast<std::size_t>(visit / visits)];
    now = std::max(now, bytes.held());
  }
  core::set_log_level(core::LogLevel::info);
  EXPECT_LT(most[1] - most[0], visits * clients * forgotten_of_a_client);
}

// A client that hears nothing for long, and then all of it; afterwards there is little to tell.
TEST(ServerMemory, WhatAnOutageTookIsGivenBack) {
  const ecs::test::CountedBytes bytes;
  SentDeltas sent(true);
  const auto tell = [&](std::uint32_t ids) {
    sent.begin(1);
    SentDeltas::Recorder recorder(sent, SentDeltas::Kind::delta);
    for (std::uint32_t id = 0; id < ids; ++id) recorder.add(id * 40, 7);
  };
  const auto hears = [&] {
    wire::InputDatagram input{.ack = 1, .newest = sent.last(), .words = wire::input_words_max};
    input.received.fill(~0ull);
    sent.acknowledge(input, [](const SentDeltas::Delta&) {}, [](const SentDeltas::Delta&) {});
  };
  while (sent.unsettled() < SentDeltas::window_max) tell(100);
  EXPECT_GT(bytes.held(), 2 * 8 * 100 * std::int64_t{SentDeltas::window_max});
  hears();
  for (std::uint32_t i = 0; i < 2 * SentDeltas::trimmed_each; ++i) {
    tell(5);
    hears();
  }
  EXPECT_LT(bytes.held(), 1024);
}

}  // namespace
}  // namespace mobula::server

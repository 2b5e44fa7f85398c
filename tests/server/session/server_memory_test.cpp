// Memory of a server while clients join, play and leave in all possible ways.
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
  config.history_bytes = 1u << 16;  // small enough to fill up during the test
  return config;
}

class Visits {
 public:
  // Lets some clients join, play and leave, until no player is left.
  void run() {
    for (int i = 0; i < clients; ++i) village_.join("visitor");
    ticks(60);
    for (int i = 0; i < 40; ++i) {
      for (const auto& client : village_.clients)
        client->connection.set_command(test::move_command(random_.uniform(-1, 1), random_.uniform(-1, 1)));
      ticks(1);
    }
    reconnect(*village_.clients[0]);
    village_.clients[1]->connection.close(village_.clients[1]->port);
    ASSERT_TRUE(village_.server->kick(village_.server->sessions()[2]->player.id, "enough").ok());
    ticks(20);
    village_.clients.clear();
    ASSERT_TRUE(village_.tick_until([&] { return village_.server->players() == 0; }, 600));
    ticks(200);
  }

 private:
  void reconnect(Village::Client& client) {
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

// Buffers that are reused grow ever more rarely. Memory that is leaked per client would grow with each visit. The table
// of used tokens, rejoin tokens among them, grows for the last time before memory is measured: it has room for 256
// then.
TEST(ServerMemory, DoesNotGrowWithVisits) {
  constexpr int visits_before = 20;
  constexpr int visits = 9;
  constexpr std::int64_t leaked_per_client = 32;
  core::set_log_level(core::LogLevel::off);
  test::hamlet();  // compiled before allocations are counted
  const ecs::test::CountedBytes bytes;
  Visits all;
  std::array<std::int64_t, 2> most{};
  for (int visit = 0; visit < visits_before + 2 * visits; ++visit) {
    ASSERT_NO_FATAL_FAILURE(all.run());
    if (visit < visits_before) continue;
    std::int64_t& now = most[static_cast<std::size_t>((visit - visits_before) / visits)];
    now = std::max(now, bytes.held());
  }
  core::set_log_level(core::LogLevel::info);
  EXPECT_LT(most[1] - most[0], visits * clients * leaked_per_client);
}

// A client acknowledges nothing for long, and then all deltas at once. After that there is little to send.
TEST(ServerMemory, MemoryOfAnOutageIsReleased) {
  const ecs::test::CountedBytes bytes;
  SentDeltas sent(true);
  const auto send = [&](std::uint32_t ids) {
    sent.begin(1);
    SentDeltas::Recorder recorder(sent, SentDeltas::Kind::delta);
    for (std::uint32_t id = 0; id < ids; ++id) recorder.add(id * 40, 7);
  };
  const auto acknowledge = [&] {
    wire::InputDatagram input{.ack = 1, .newest = sent.last(), .words = wire::input_words_max};
    input.received.fill(~0ull);
    sent.acknowledge(input, [](const SentDeltas::Delta&) {}, [](const SentDeltas::Delta&) {});
  };
  while (sent.unsettled() < SentDeltas::window_max) send(100);
  EXPECT_GT(bytes.held(), 2 * 8 * 100 * std::int64_t{SentDeltas::window_max});
  acknowledge();
  for (std::uint32_t i = 0; i < 2 * SentDeltas::trimmed_each; ++i) {
    send(5);
    acknowledge();
  }
  EXPECT_LT(bytes.held(), 1024);
}

}  // namespace
}  // namespace mobula::server

// Clients that acknowledge deltas without decoding them, among others that mirror and verify.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/random.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

class Undecoded : public testing::Test {
 protected:
  using Client = test::Village::Client;

  void SetUp() override { core::set_log_level(core::LogLevel::warn); }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }

  static server::ServerConfig config() {
    server::ServerConfig config;
    config.level = test::hamlet();
    config.verify_one_in = 1;  // also clients that do not ask for it
    return config;
  }
  Client& join(bool decode, ResourceStore* resources = nullptr) {
    return village.join({.transport = {}, .name = "", .schema = {}, .resources = resources, .decode = decode});
  }
  // Runs ticks in which all clients move about.
  void ticks(int count) {
    for (int i = 0; i < count; ++i) {
      for (const auto& client : village.clients)
        if (random.chance(1, 20))
          client->connection.set_command(test::move_command(random.uniform(-0.7f, 0.7f), random.uniform(-0.7f, 0.7f)));
      village.tick();
    }
  }
  bool play(const Client& client) {
    return village.tick_until([&] { return client.connection.stats().ticks > 3; });
  }

  core::Random random{3};
  demo::DemoGame game;
  test::Village village{
      game, config(), {.latency = 40 * core::millisecond, .jitter = 20 * core::millisecond, .loss_ppm = 100'000}};
};

TEST_F(Undecoded, ClientsAreServedLikeOthers) {
  for (int i = 0; i < 8; ++i) join(i % 2 == 0);
  ticks(400);
  for (std::size_t i = 0; i < village.clients.size(); ++i) {
    SCOPED_TRACE(i);
    Connection& connection = village.clients[i]->connection;
    const ConnectionStats& stats = connection.stats();
    ASSERT_EQ(connection.state(), Connection::State::playing) << to_string(connection.reason());
    EXPECT_EQ(connection.mirror() != nullptr, i % 2 == 0);
    EXPECT_GT(stats.ticks, 250u);
    EXPECT_EQ(stats.mismatched_ticks, 0u);
    EXPECT_EQ(stats.verified_ticks > 100, i % 2 == 0);
    EXPECT_EQ(stats.unreadable_deltas, 0u);
    EXPECT_LT(connection.commands().size(), 5u) << "commands are carried out";
    // Compares with a client of the other kind, which sees the same entities.
    const double others = static_cast<double>(village.clients[i ^ 1]->connection.stats().bytes_received);
    EXPECT_LT(static_cast<double>(stats.bytes_received), 1.5 * others);
  }
  EXPECT_THAT(village.server->stats().refusals, testing::IsEmpty());
  EXPECT_EQ(village.server->stats().corrections, 0u);
  EXPECT_GT(village.server->stats().commands, 100u);
  village.server->published().check();
}

TEST_F(Undecoded, AClientReceivesNoMoreThanAMirror) {
  Client& mirror = join(true);
  Client& unread = join(false);
  village.network.set_conditions({.latency = 10 * core::millisecond});
  ASSERT_TRUE(play(mirror) && play(unread));
  EXPECT_TRUE(village.tick_until([&] { return unread.connection.complete() && mirror.connection.complete(); }));
  village.ticks(20);
  const auto bytes_of = [](const Client& client) { return client.connection.stats().bytes_received; };
  const std::uint64_t unread_before = bytes_of(unread);
  const std::uint64_t mirror_before = bytes_of(mirror);
  village.ticks(100);
  EXPECT_NEAR(static_cast<double>(bytes_of(unread) - unread_before),
              static_cast<double>(bytes_of(mirror) - mirror_before),
              0.2 * static_cast<double>(bytes_of(mirror) - mirror_before));
}

TEST_F(Undecoded, AClientResumesWithItsAcknowledgements) {
  Client& witness = join(true);
  Client& unread = join(false);
  ASSERT_TRUE(play(witness) && play(unread));
  ticks(100);
  unread.connection.pipe_closed("the cable was pulled", village.now);
  ticks(1);
  ASSERT_TRUE(unread.connection.can_rejoin());
  unread.port.from.port = 6000;
  unread.connection.rejoin(village.now);
  ticks(100);
  EXPECT_EQ(unread.connection.state(), Connection::State::playing) << to_string(unread.connection.reason());
  EXPECT_EQ(village.server->stats().rejoins, 1u);
  EXPECT_EQ(village.server->players(), 2u);
  EXPECT_EQ(witness.connection.stats().mismatched_ticks, 0u);
  EXPECT_THAT(village.server->stats().refusals, testing::IsEmpty());
}

TEST_F(Undecoded, AClientThatHasTheLevelIsOfferedIt) {
  const auto folder = std::filesystem::temp_directory_path() / ("mobula_undecoded." + std::to_string(::getpid()));
  ResourceFolder store = *ResourceFolder::open(folder.string());
  join(true, &store);
  ASSERT_TRUE(village.tick_until([&] { return store.find(test::hamlet()->identity()) != nullptr; }, 2000));
  Client& unread = join(false, &store);
  Client& mirror = join(true, &store);
  ticks(200);
  EXPECT_EQ(unread.connection.state(), Connection::State::playing) << to_string(unread.connection.reason());
  EXPECT_LT(unread.connection.stats().bytes_received, 2 * mirror.connection.stats().bytes_received);
  EXPECT_EQ(mirror.connection.stats().mismatched_ticks, 0u);
  EXPECT_GT(mirror.connection.stats().verified_ticks, 20u);
  EXPECT_THAT(village.server->stats().refusals, testing::IsEmpty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mobula::client

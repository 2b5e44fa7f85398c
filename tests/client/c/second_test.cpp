// A client with the library's socket whose player goes from one server to another.
#include <gmock/gmock.h>

#include <client/c/guest.hpp>
#include <mobula/core/log.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <server/session/server_accounts.hpp>

namespace mobula::c {
namespace second_test {

constexpr core::Nanoseconds patience = 30 * core::second;

// A server on a real socket.
struct Place {
  explicit Place(net::EventLoop& loop, std::optional<server::ZoneConfig> zone = std::nullopt)
      : pipes(std::move(*net::ServerPipes::open(loop, {.listen = transport::Address::v4(127, 0, 0, 1, 0)}))) {
    server::ServerConfig config = test::at_village({});
    config.transport.public_addresses = {address()};
    config.zone = std::move(zone);
    server = std::move(*server::Server::start(std::move(config), game));
    server->set_unix_time(core::unix_now());
    pipes->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server->receive(from, datagram, core::monotonic_now(), *pipes);
    });
  }
  void tick() { server->tick(core::monotonic_now(), *pipes); }
  [[nodiscard]] std::size_t sessions() const { return server->endpoint().sessions().size(); }
  [[nodiscard]] transport::Address address() const {
    return transport::Address::v4(127, 0, 0, 1, pipes->local_port(transport::Pipe::udp));
  }

  test::KeepingGame game;
  std::unique_ptr<net::ServerPipes> pipes;
  std::unique_ptr<server::Server> server;
};

class CSecond : public testing::Test {
 protected:
  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    const core::Bytes token = new_token(west);
    const mobula_client_options options = test::options_for(token);
    ASSERT_EQ(mobula_client_create(&options, 0, &client), MOBULA_OK) << test::error_text();
    ASSERT_EQ(mobula_client_connect_udp(client, nullptr), MOBULA_OK) << test::error_text();
    ASSERT_TRUE(run_until([&] { return status().complete == 1 && status().player != 0 && status().tick > 20; }));
    own = test::to_entity(status().player);
  }
  void TearDown() override {
    mobula_client_destroy(client);
    core::set_log_level(core::LogLevel::info);
  }

  // A token of the account "ada".
  core::Bytes new_token(const Place& place) {
    constexpr std::string_view account = "ada";
    transport::TokenRequest request{.client_id = ++tokens, .servers = {place.address()}, .expire_seconds = 300};
    std::ranges::copy(core::as_bytes(account.data(), account.size()), request.user_data.begin());
    return transport::write_token(test::test_token(request, test::test_transport().private_key, core::unix_now()));
  }
  [[nodiscard]] mobula_status status() const {
    auto status = test::sized<mobula_status>();
    EXPECT_EQ(mobula_client_status(client, &status), MOBULA_OK);
    return status;
  }
  [[nodiscard]] std::uint64_t zone_changes() const {
    auto statistics = test::sized<mobula_statistics>();
    EXPECT_EQ(mobula_client_statistics(client, &statistics), MOBULA_OK);
    return statistics.zone_changes;
  }
  [[nodiscard]] mobula_result read_health() const {
    mobula_value value{};
    return mobula_client_read_value(client, status().player, "Health/current", &value);
  }
  // Runs both servers and polls, until the condition holds or the client is closed.
  template <class Condition>
  bool run_until(const Condition& condition) {
    const core::Nanoseconds end = core::monotonic_now() + patience;
    polled = MOBULA_OK;
    while (!condition() && polled == MOBULA_OK && core::monotonic_now() < end) {
      loop.run_until(core::monotonic_now() + 5 * core::millisecond);
      if (west_runs) west.tick();
      east.tick();
      polled = mobula_client_poll(client, 0);
    }
    return condition();
  }
  void send_follow(const std::string& address, bool is_visit) {
    west.server->crossing().send_follow(
        "ada",
        {.world = "east", .token = new_token(east), .addresses = {"ws://127.0.0.1:1", address}, .visit = is_visit});
  }
  [[nodiscard]] std::string east_url() const { return "udp://" + to_string(east.address()); }
  // The player leaves. Its entity stays as a ghost.
  void cross(const std::string& address) {
    ecs::Registry& registry = west.server->world().registry();
    auto left =
        west.server->crossing().release_to_zone({&own, 1}, "east", 1 << 20, [&](std::span<const ecs::Entity> all) {
          for (const ecs::Entity entity : all) ecs::Guests(registry).set_ghost(entity, true);
        });
    ASSERT_TRUE(left) << left.error().message;
    crossed = std::move(*left);
    send_follow(address, false);
  }
  void arrive() { ASSERT_TRUE(east.server->crossing().take_in(crossed, "east")); }

  net::EventLoop loop;
  Place west{loop};
  Place east{loop, server::ZoneConfig{.own = {.first = 1 << 16, .end = 1 << 17}, .zone = {1, {0, 0, 9, 9}}}};
  bool west_runs = true;
  mobula_client client{};
  mobula_result polled = MOBULA_OK;
  std::uint64_t tokens = 0;
  ecs::Entity own;
  server::CrossingPlayer crossed;
};

TEST_F(CSecond, TheMirrorGoesOnInTheNextZone) {
  const mobula_status before = status();
  EXPECT_EQ(read_health(), MOBULA_OK) << "properties are made";
  cross(east_url());
  const auto still_plays = [&] {
    EXPECT_EQ(status().state, MOBULA_PLAYING);
    EXPECT_EQ(status().player, before.player);
    EXPECT_EQ(status().mirror, before.mirror);
    EXPECT_EQ(read_health(), MOBULA_OK) << test::error_text();
    return true;
  };
  const std::uint32_t crossed_at = status().tick;
  ASSERT_TRUE(run_until([&] { return still_plays() && status().tick > crossed_at + 20 && east.sessions() == 1; }));
  EXPECT_EQ(zone_changes(), 0u) << "the player has not arrived";
  arrive();
  ASSERT_TRUE(run_until([&] { return still_plays() && zone_changes() == 1; })) << test::error_text();
  const std::uint32_t tick = status().tick;
  ASSERT_TRUE(run_until([&] { return still_plays() && status().tick > tick + 10; }));
  EXPECT_EQ(status().mirror_hash, east.server->published().hash());
  EXPECT_EQ(west.sessions(), 0u);
}

TEST_F(CSecond, APlayerWhoCrossesIsFollowedByTheVisit) {
  send_follow(east_url(), true);
  ASSERT_TRUE(run_until([&] { return east.sessions() == 1; }));
  cross(east_url());
  arrive();
  ASSERT_TRUE(run_until([&] {
    EXPECT_EQ(east.sessions(), 1u);
    return zone_changes() == 1;
  }));
}

TEST_F(CSecond, AVisitThatEndsChangesNothing) {
  send_follow(east_url(), true);
  ASSERT_TRUE(run_until([&] { return east.sessions() == 1; }));
  ASSERT_TRUE(run_until([&] { return east.sessions() == 0; })) << "no player arrives";
  const std::uint32_t tick = status().tick;
  ASSERT_TRUE(run_until([&] { return status().tick > tick + 10; }));
  EXPECT_EQ(zone_changes(), 0u);
}

TEST_F(CSecond, AClientOnTheWayJoins) {
  cross(east_url());
  ASSERT_TRUE(run_until([&] { return east.sessions() == 1; }));
  west.server->shut_down(core::monotonic_now(), *west.pipes);
  west_runs = false;
  ASSERT_TRUE(run_until([&] { return status().state == MOBULA_JOINING; }));
  std::int32_t code = 0;
  EXPECT_EQ(mobula_client_reason(client, &code, nullptr, 0, nullptr), MOBULA_NOTHING);
  arrive();
  ASSERT_TRUE(run_until([&] { return status().state == MOBULA_PLAYING; })) << test::error_text();
  EXPECT_EQ(test::to_entity(status().player), own);
}

TEST_F(CSecond, AHostReconnectsIfTheZoneHasNoUdpAddress) {
  cross("tcp://127.0.0.1:1");
  arrive();
  ASSERT_TRUE(run_until([&] { return polled == MOBULA_ERROR_CLOSED; }));
  std::int32_t code = 0;
  char text[64] = {};
  std::uint32_t length = 0;
  EXPECT_EQ(mobula_client_reason(client, &code, text, sizeof text, &length), MOBULA_OK);
  EXPECT_EQ(code, MOBULA_REASON_MOVED);
  const core::Bytes token = new_token(east);
  ASSERT_EQ(mobula_client_reconnect(client, token.data(), token.size(), mobula_now()), MOBULA_OK) << test::error_text();
  ASSERT_TRUE(run_until([&] { return status().state == MOBULA_PLAYING && status().player != 0; }));
  EXPECT_EQ(test::to_entity(status().player), own);
}

TEST_F(CSecond, APredictionGoesOnInTheNextZone) {
  ASSERT_EQ(mobula_prediction_create(client, nullptr), MOBULA_OK) << test::error_text();
  auto info = test::sized<mobula_prediction_info>();
  auto step = test::sized<mobula_step>();
  const auto predict = [&] {
    EXPECT_EQ(mobula_prediction_begin_update(client, mobula_now()), MOBULA_OK) << test::error_text();
    while (mobula_prediction_next_step(client, &step) == MOBULA_OK)
      EXPECT_EQ(mobula_prediction_end_step(client), MOBULA_OK);
    return mobula_prediction_status(client, &info) == MOBULA_OK;
  };
  ASSERT_TRUE(run_until([&] { return predict() && info.tick > 5; }));
  cross(east_url());
  arrive();
  ASSERT_TRUE(run_until([&] { return predict() && zone_changes() == 1; }));
  const std::uint32_t tick = status().tick;
  ASSERT_TRUE(run_until([&] { return predict() && status().tick > tick + 10 && info.tick >= status().tick; }));
}

TEST_F(CSecond, DestroyLeavesTheZoneOfThePlayer) {
  cross(east_url());
  ASSERT_TRUE(run_until([&] { return east.sessions() == 1; }));
  arrive();
  ASSERT_EQ(mobula_client_destroy(client), MOBULA_OK);
  const core::Nanoseconds end = core::monotonic_now() + patience;
  while ((east.sessions() != 0 || west.sessions() != 0) && core::monotonic_now() < end) {
    loop.run_until(core::monotonic_now() + 5 * core::millisecond);
    west.tick();
    east.tick();
  }
  EXPECT_EQ(east.sessions() + west.sessions(), 0u);
}

}  // namespace second_test
}  // namespace mobula::c

// A client and a server on TCP sockets of one loop. The server forgets disconnected players at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <server/session/server_accounts.hpp>

namespace mobula::client {
namespace {

using Token = std::optional<WorldToken>;
using testing::HasSubstr;

constexpr core::Nanoseconds patience = 30 * core::second;

class PipeClientTest : public testing::Test {
 protected:
  void SetUp() override {
    pipes_ =
        std::move(*net::ServerPipes::open(loop_, {.listen = transport::Address::v4(127, 0, 0, 1, 0), .tcp_port = 0}));
    server::ServerConfig config = test::at_village({});
    config.rejoin_grace = 0;
    config.secret.fill(std::byte{0x5b});
    server_ = std::move(*server::Server::start(std::move(config), game_));
    server_->set_unix_time(core::unix_now());
    pipes_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      if (hangs_up_) return pipes_->finished(from);
      server_->receive(from, datagram, core::monotonic_now(), *pipes_);
    });
    pipes_->on_closed([this](const transport::Address& from, std::string_view /*reason*/) {
      server_->pipe_closed(from, core::monotonic_now());
    });
    enter();
  }

  // A token of the account "ada".
  transport::ConnectToken new_token() {
    constexpr std::string_view account = "ada";
    transport::TokenRequest request{.client_id = ++tokens_, .servers = {test::village_address}, .expire_seconds = 300};
    std::ranges::copy(core::as_bytes(account.data(), account.size()), request.user_data.begin());
    return test::test_token(request, test::test_transport().private_key, core::unix_now());
  }

  // Enters, and plays until the client has received its rejoin tokens.
  void enter() {
    AccessOptions options;
    options.connect = "tcp:127.0.0.1:" + std::to_string(pipes_->local_port(transport::Pipe::tcp));
    ConnectionConfig config{.transport = {}, .name = "ada", .schema = {}};
    config.transport.token = new_token();
    client_ = std::move(*PipeClient::open(loop_, *parse_access(options), config));
    ASSERT_TRUE(run_until([&] { return client_->connection().stats().ticks >= 30; }));
  }

  // Runs ticks, 100 per second, until the condition holds.
  template <class Condition>
  bool run_until(const Condition& condition) {
    const core::Nanoseconds end = core::monotonic_now() + patience;
    while (!condition() && core::monotonic_now() < end) {
      loop_.run_until(core::monotonic_now() + 10 * core::millisecond);
      server_->tick(core::monotonic_now(), *pipes_);
      client_->update();
    }
    return condition();
  }

  net::EventLoop loop_;
  test::TinyGame game_;
  std::unique_ptr<net::ServerPipes> pipes_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<PipeClient> client_;
  std::uint64_t tokens_ = 0;
  bool hangs_up_ = false;  // as a restarted server does that knows no rejoin token
};

TEST_F(PipeClientTest, AsksForANewTokenAfterRejoinsInVain) {
  int requests = 0;
  client_->set_token_source([&](const std::string&) -> core::Result<Token> {
    ++requests;
    hangs_up_ = false;
    return Token(WorldToken{new_token()});
  });
  const std::uint64_t ticks = client_->connection().stats().ticks;
  const std::uint64_t rejoins = client_->connection().stats().rejoins;
  hangs_up_ = true;
  ASSERT_TRUE(run_until([&] { return !hangs_up_ && client_->connection().stats().ticks > ticks + 5; }))
      << to_string(client_->connection().reason());
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(client_->connection().stats().rejoins, rejoins + 3) << "two with rejoin tokens, one with the new token";
}

// As behind a proxy whose server is not there for a moment.
TEST_F(PipeClientTest, RejoinsThoughAStreamWasClosedAtOnce) {
  int requests = 0;
  client_->set_token_source([&](const std::string&) -> core::Result<Token> {
    ++requests;
    return Token(WorldToken{new_token()});
  });
  const std::uint64_t rejoins = client_->connection().stats().rejoins;
  hangs_up_ = true;
  ASSERT_TRUE(run_until([&] { return client_->connection().stats().rejoins > rejoins; }));
  ASSERT_TRUE(run_until([&] { return client_->connection().state() == Connection::State::closed; }));
  hangs_up_ = false;
  ASSERT_TRUE(run_until([&] { return client_->connection().stats().rejoins > rejoins + 1; }));
  EXPECT_EQ(requests, 0) << "the second rejoin has a rejoin token, too";
}

TEST_F(PipeClientTest, JoinsAnewWithANewTokenAfterTheGracePeriod) {
  int requests = 0;
  client_->set_token_source([&](const std::string&) -> core::Result<Token> {
    return ++requests < 3 ? Token() : Token(WorldToken{new_token()});  // nothing while it is on its way
  });
  const std::uint64_t ticks = client_->connection().stats().ticks;
  client_->drop_pipe();
  ASSERT_TRUE(run_until([&] { return client_->connection().stats().ticks > ticks + 5; }))
      << to_string(client_->connection().reason());
  EXPECT_THAT(to_string(client_->last_loss()), HasSubstr("session over")) << "its rejoin was refused";
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(game_.names.size(), 2u) << "as a new player";
  EXPECT_EQ(game_.left, 1);
  EXPECT_EQ(server_->players(), 1u);
  EXPECT_EQ(client_->connection().stats().mismatched_ticks, 0u);
  EXPECT_FALSE(client_->over());
}

// A second server, on ports of its own, stands for the world to which the player is sent.
struct Arena {
  explicit Arena(net::EventLoop& loop, std::optional<server::ZoneConfig> zone = std::nullopt)
      : pipes(std::move(
            *net::ServerPipes::open(loop, {.listen = transport::Address::v4(127, 0, 0, 1, 0), .tcp_port = 0}))) {
    server::ServerConfig config = test::at_village({});
    config.zone = std::move(zone);
    server = std::move(*server::Server::start(std::move(config), game));
    server->set_unix_time(core::unix_now());
    pipes->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server->receive(from, datagram, core::monotonic_now(), *pipes);
    });
  }
  void tick() { server->tick(core::monotonic_now(), *pipes); }
  [[nodiscard]] std::string address() const {
    return "tcp:127.0.0.1:" + std::to_string(pipes->local_port(transport::Pipe::tcp));
  }

  test::KeepingGame game;
  std::unique_ptr<net::ServerPipes> pipes;
  std::unique_ptr<server::Server> server;
};

TEST_F(PipeClientTest, FollowsItsPlayerToAnotherWorld) {
  Arena arena(loop_);
  std::string wanted;
  client_->set_token_source([&](const std::string& world) -> core::Result<Token> {
    wanted = world;
    return Token(WorldToken{new_token(), *net::parse_destination(arena.address())});
  });
  const auto released = server_->crossing().release(1, "arena", 1 << 20);
  ASSERT_TRUE(released) << released.error().message;
  server_->crossing().end("ada", {transport::ReasonCode::moved, "arena"});
  int ticks = 0;
  ASSERT_TRUE(run_until([&] {
    arena.tick();
    return arena.server->endpoint().sessions().size() == 1 && ++ticks > 20;
  }));
  EXPECT_EQ(client_->connection().state(), Connection::State::joining) << "it plays before its player arrives";
  ASSERT_TRUE(arena.server->crossing().take_in(*released, "arena"));
  ASSERT_TRUE(run_until([&] {
    arena.tick();
    return client_->connection().state() == Connection::State::playing;
  })) << to_string(client_->connection().reason());
  EXPECT_EQ(wanted, "arena");
  EXPECT_EQ(arena.server->players(), 1u);
  EXPECT_EQ(client_->last_loss().code, transport::ReasonCode::moved);
  client_->close();
}

class FollowingClientTest : public PipeClientTest {
 protected:
  // The player crosses. Its entity stays as a ghost.
  void cross(const std::string& address) {
    own = client_->connection().player_entity();
    auto crossing =
        server_->crossing().release_to_zone({&own, 1}, "east", 1 << 20, [&](std::span<const ecs::Entity> all) {
          for (const ecs::Entity entity : all) ecs::Guests(server_->world().registry()).set_ghost(entity, true);
        });
    ASSERT_TRUE(crossing) << crossing.error().message;
    crossed = std::move(*crossing);
    send(address, false);
  }
  // The player comes near the other zone, and its client connects there.
  void visit(Arena& arena) {
    own = client_->connection().player_entity();
    send(arena.address(), true);
    ASSERT_TRUE(run_both(arena, [&] { return arena.server->endpoint().sessions().size() == 1; }));
  }
  void send(const std::string& address, bool is_visit) {
    server_->crossing().send_follow("ada", {.world = "east",
                                            .token = transport::write_token(new_token()),
                                            .addresses = {"udp:127.0.0.1:1", address},
                                            .visit = is_visit});
  }
  // Runs both servers. The client shows a tick in each update, or almost.
  template <class Condition>
  bool run_both(Arena& arena, const Condition& condition) {
    return run_until([&] {
      arena.tick();
      EXPECT_EQ(client_->connection().state(), Connection::State::playing);
      EXPECT_TRUE(client_->connection().mirror()->registry().valid(own));
      return condition();
    });
  }

  ecs::Entity own;
  server::CrossingPlayer crossed;
  const server::ZoneConfig east{.own = {.first = 1 << 16, .end = 1 << 17}, .zone = {1, {0, 0, 9, 9}}};
};

TEST_F(FollowingClientTest, SeesTheWorldWithoutInterruption) {
  Arena arena(loop_, east);
  const Connection& connection = client_->connection();
  cross(arena.address());
  ASSERT_TRUE(run_both(arena, [&] { return connection.stats().ticks > 60; })) << "the player has not arrived";
  EXPECT_EQ(client_->zone_changes(), 0u);
  ASSERT_TRUE(arena.server->crossing().take_in(crossed, "east"));
  std::vector<Change> changes;
  ASSERT_TRUE(run_both(arena, [&] {
    const std::span<const Change> now = connection.mirror()->changes();
    changes.insert(changes.end(), now.begin(), now.end());
    return client_->zone_changes() == 1;
  }));
  EXPECT_EQ(&client_->connection(), &connection);
  EXPECT_EQ(connection.mirror_number(), 1u);
  EXPECT_EQ(connection.player_entity(), own);
  EXPECT_EQ(client_->losses(), 0u);
  for (const Change& change : changes) EXPECT_FALSE(change.entity == own && change.kind == ChangeKind::destroyed);
  const std::uint64_t ticks = connection.stats().ticks;
  ASSERT_TRUE(run_both(arena, [&] { return connection.stats().ticks > ticks + 10; }));
  EXPECT_EQ(arena.server->published().hash(), connection.mirror()->hash());
  EXPECT_EQ(server_->endpoint().sessions().size(), 0u);
  client_->close();
}

// Each command is done once, by the zone that has the player.
TEST_F(FollowingClientTest, CommandsRunOnceInOneOfTheZones) {
  Arena arena(loop_, east);
  std::uint32_t given = 0;
  const auto give = [&] {
    client_->set_command(test::move_command(static_cast<float>(++given), 0));
    return given;
  };
  ASSERT_TRUE(run_until([&] { return give() >= 20; }));
  cross(arena.address());
  ASSERT_TRUE(run_both(arena, [&] { return give() >= 30; }));
  ASSERT_TRUE(arena.server->crossing().take_in(crossed, "east"));
  ASSERT_TRUE(run_both(arena, [&] { return give() > 60 && client_->zone_changes() == 1; }));
  ASSERT_TRUE(run_both(arena, [&] { return client_->connection().commands().size() == 0; }));
  std::vector<std::uint32_t> numbers;
  for (const test::TinyGame* const game : {&game_, static_cast<test::TinyGame*>(&arena.game)})
    for (const test::TinyGame::Ran& ran : game->ran) numbers.push_back(ran.context.number);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
  EXPECT_GE(game_.ran.size(), 15u);
  EXPECT_GE(arena.game.ran.size(), 15u);
  EXPECT_EQ(arena.game.ran.front().context.number, game_.ran.back().context.number + 1);
  EXPECT_EQ(arena.server->stats().late_commands.missing, 0u) << "it knows what was done";
  client_->close();
}

TEST_F(FollowingClientTest, AVisitThatEndsChangesNothing) {
  Arena arena(loop_, east);
  visit(arena);
  ASSERT_TRUE(run_both(arena, [&] { return arena.server->endpoint().sessions().empty(); })) << "no player arrives";
  ASSERT_TRUE(run_both(arena, [&] { return client_->connection().stats().ticks > 30; }));
  EXPECT_EQ(client_->losses(), 0u);
  EXPECT_EQ(client_->zone_changes(), 0u);
  client_->close();
}

TEST_F(FollowingClientTest, APlayerWhoCrossesIsFollowedByTheVisit) {
  Arena arena(loop_, east);
  visit(arena);
  cross(arena.address());
  ASSERT_TRUE(arena.server->crossing().take_in(crossed, "east"));
  ASSERT_TRUE(run_both(arena, [&] {
    EXPECT_EQ(arena.server->endpoint().sessions().size(), 1u);
    return client_->zone_changes() == 1;
  }));
  client_->close();
}

// Those before it are for players who were there.
TEST_F(FollowingClientTest, EventsOfTheNextZoneBeginWithArrival) {
  Arena arena(loop_, east);
  visit(arena);
  const auto send_event = [&](std::size_t bytes) {
    EXPECT_TRUE(arena.server->world()
                    .events()
                    .send(core::Bytes(bytes), server::Audience::everyone(), server::Reliability::reliable)
                    .ok());
  };
  std::vector<std::size_t> received;
  const auto note_events = [&] {
    for (const ReceivedEvent& event : client_->connection().events()) received.push_back(event.bytes.size());
  };
  send_event(1);
  int ticks = 0;
  ASSERT_TRUE(run_both(arena, [&] { return ++ticks > 20; }));
  cross(arena.address());
  ASSERT_TRUE(arena.server->crossing().take_in(crossed, "east"));
  ASSERT_TRUE(run_both(arena, [&] {
    note_events();
    return client_->zone_changes() == 1;
  }));
  send_event(2);
  ASSERT_TRUE(run_both(arena, [&] {
    note_events();
    return !received.empty();
  }));
  EXPECT_THAT(received, testing::Each(2));
  client_->close();
}

TEST_F(FollowingClientTest, JoinsByItsTokenSourceIfItCannotFollow) {
  Arena arena(loop_, east);
  client_->set_token_source([&](const std::string& world) -> core::Result<Token> {
    EXPECT_EQ(world, "east");
    return Token(WorldToken{new_token(), *net::parse_destination(arena.address())});
  });
  cross("ws://127.0.0.1:1");  // it uses TCP
  ASSERT_TRUE(arena.server->crossing().take_in(crossed, "east"));
  ASSERT_TRUE(run_until([&] {
    arena.tick();
    return client_->connection().state() == Connection::State::playing && client_->losses() == 1;
  }));
  EXPECT_EQ(client_->last_loss().code, transport::ReasonCode::moved);
  EXPECT_EQ(client_->connection().player_entity(), own);
  client_->close();
}

// A token arrives later than the reason. The client must not wait for the visit meanwhile.
TEST_F(FollowingClientTest, AVisitElsewhereEndsWithThePlayersStay) {
  Arena visited(loop_, east), south(loop_);
  visit(visited);
  int requests = 0;
  client_->set_token_source([&](const std::string& world) -> core::Result<Token> {
    EXPECT_EQ(world, "south");
    if (++requests < 3) return Token();
    return Token(WorldToken{new_token(), *net::parse_destination(south.address())});
  });
  const auto released = server_->crossing().release(1, "south", 1 << 20);
  ASSERT_TRUE(released) << released.error().message;
  ASSERT_TRUE(south.server->crossing().take_in(*released, "south"));
  server_->crossing().end("ada", {transport::ReasonCode::moved, "south"});
  ASSERT_TRUE(run_until([&] {
    visited.tick();
    south.tick();
    return requests == 3 && client_->connection().state() == Connection::State::playing;
  }));
  EXPECT_EQ(south.server->players(), 1u);
  EXPECT_FALSE(visited.server->stats().refusals.contains("player not arrived"));
  client_->close();
}

TEST_F(FollowingClientTest, IsOverIfItHasNoOtherToken) {
  client_->set_token_source({});
  cross("ws://127.0.0.1:1");
  ASSERT_TRUE(run_until([&] { return client_->over(); }));
}

TEST_F(PipeClientTest, IsOverAfterTheGracePeriodWithoutATokenSource) {
  client_->set_token_source({});
  client_->drop_pipe();
  ASSERT_TRUE(run_until([&] { return client_->over(); }));
  EXPECT_THAT(to_string(client_->connection().reason()), HasSubstr("join again with a new connect token"));
  EXPECT_EQ(game_.names.size(), 1u);
}

}  // namespace
}  // namespace mobula::client

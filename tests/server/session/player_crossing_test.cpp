#include <gmock/gmock.h>

#include <functional>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/schema/components.hpp>
#include <server/session/server_accounts.hpp>
#include <stdexcept>

namespace mobula::server {
namespace player_crossing_test {

using testing::HasSubstr;
using transport::Reason;
using transport::ReasonCode;

class PortalGame : public test::KeepingGame {
 public:
  core::Status may_leave(World& world, const Player& player, std::string_view target) override {
    if (on_may_leave) on_may_leave(world, player);
    if (closed) return core::Error{"portal closed", "the portal to " + std::string(target) + " is closed"};
    EXPECT_TRUE(player.entity);
    return core::Done{};
  }
  core::Bytes pack(World&, const Player&) override { return core::Bytes(3, std::byte{7}); }
  core::Status unpack(World& world, const Player& player, core::ByteView data) override {
    arrived.push_back(player);
    EXPECT_EQ(data.size(), 3u);
    EXPECT_TRUE(world.registry().valid(player.entity));
    if (throws) throw std::runtime_error("no seat");
    if (closed) return core::Error{"portal closed", "nobody may arrive"};
    return core::Done{};
  }

  bool closed = false;
  bool throws = false;
  std::function<void(World& world, const Player& player)> on_may_leave;
  std::vector<Player> arrived;
};

constexpr std::size_t bytes_max = 1 << 20;

class PlayerCrossingTest : public test::ServerAccounts {
 protected:
  void open(ServerConfig config = {}) { village.emplace(portal, std::move(config)); }
  PlayerCrossing& crossing() { return server().crossing(); }
  std::uint32_t newest() { return portal.players.back().id; }
  // Anna has crossed out of a world, with 42 points of health.
  CrossingPlayer anna() {
    PortalGame game;
    test::Village source(game, {});
    source.server->restore_players(2, {{1, "Anna", "anna", source.server->world().registry().create(), true}});
    const ecs::Entity own = source.server->world().player_entity(1);
    source.server->world().registry().add<demo::Health>(own).current = 42;
    core::Result<CrossingPlayer> player = source.server->crossing().release(1, "b", bytes_max);
    EXPECT_TRUE(player);
    return *player;
  }
  std::size_t entities() { return server().world().registry().entities().size(); }

  PortalGame portal;
};

TEST_F(PlayerCrossingTest, AReleasedPlayerIsRemovedAndItsClientWaits) {
  for (const bool keep : {false, true}) {
    portal.keep = keep;
    open();
    Client& client = join_and_play("anna");
    const ecs::Entity own = client.connection.player_entity();
    const core::Result<CrossingPlayer> player = crossing().release(newest(), "b", bytes_max);
    ASSERT_TRUE(player);
    EXPECT_EQ(player->account, "anna");
    EXPECT_EQ(player->data.size(), 3u);
    EXPECT_FALSE(server().world().registry().valid(own)) << "also if the game keeps it";
    EXPECT_EQ(server().players(), 0u);
    EXPECT_TRUE(server().known_players().empty());
    village->ticks(20);
    EXPECT_FALSE(closed(client));
    crossing().end("anna", {ReasonCode::moved, "b"});
    EXPECT_EQ(end_of(client), (Reason{ReasonCode::moved, "b"}));
    EXPECT_FALSE(client.connection.can_rejoin());
  }
}

TEST_F(PlayerCrossingTest, ARefusalChangesNothing) {
  open();
  Client& client = join_and_play("anna");
  const auto refusal = [&](std::uint32_t player, std::size_t most = bytes_max) {
    const core::Result<CrossingPlayer> released = crossing().release(player, "b", most);
    return released.ok() ? "" : released.error().reason;
  };
  EXPECT_STREQ(refusal(newest() + 1), "no such player");
  EXPECT_STREQ(refusal(newest(), 100), "too large");
  portal.closed = true;
  EXPECT_STREQ(refusal(newest()), "portal closed");
  portal.closed = false;
  join_and_play("");
  EXPECT_STREQ(refusal(newest()), "no account");
  village->ticks(5);
  EXPECT_TRUE(village->mirrors(client));
  EXPECT_EQ(server().players(), 2u);
  EXPECT_TRUE(portal.gone.empty());
}

// Turns entities into ghosts, as a zone does.
struct Kept {
  std::function<void(std::span<const ecs::Entity>)> by(World& world) {
    return [this, &world](std::span<const ecs::Entity> all) {
      entities.assign(all.begin(), all.end());
      for (const ecs::Entity entity : all) ecs::Guests(world.registry()).set_ghost(entity, true);
    };
  }
  std::vector<ecs::Entity> entities;
};

TEST_F(PlayerCrossingTest, APlayerCrossesToAZoneWithItsHandle) {
  open();  // a game that destroys the entities of players who leave
  join_and_play("anna");
  World& world = server().world();
  const ecs::Entity vehicle = world.registry().create();
  const ecs::Entity own = world.player_entity(newest());
  ASSERT_TRUE(world.hierarchy().set_parent(own, vehicle).ok());
  Kept kept;
  core::Result<CrossingPlayer> player = crossing().release_to_zone(vehicle, "b", bytes_max, kept.by(world));
  ASSERT_TRUE(player) << player.error().message;
  EXPECT_EQ(kept.entities, (std::vector{vehicle, own}));
  EXPECT_EQ(player->account, "anna");
  EXPECT_EQ(player->zone.player, own);
  EXPECT_EQ(server().players(), 0u);
  EXPECT_EQ(world.registry().entities().elsewhere_at(own.index), own) << "reserved";
  ASSERT_TRUE(crossing().take_in(*player, "b"));
  EXPECT_TRUE(world.registry().valid(vehicle));
  EXPECT_EQ(server().known_players().front().entity, own);
  EXPECT_EQ(portal.arrived.back().entity, own);
}

wire::Follow follow_to(const std::string& world) {
  return {.world = world, .token = transport::write_token(test::test_token(77)), .addresses = {"udp://127.0.0.1:7777"}};
}

TEST_F(PlayerCrossingTest, AClientSeesItsGhostUntilItFollows) {
  open();
  follows = true;
  Client& client = join_and_play("anna");
  World& world = server().world();
  const ecs::Entity own = client.connection.player_entity();
  Kept kept;
  ASSERT_TRUE(crossing().release_to_zone(own, "b", bytes_max, kept.by(world)));
  EXPECT_EQ(portal.gone.back().entity, ecs::null_entity) << "not the game's to destroy";
  EXPECT_EQ(server().players(), 0u);
  const ecs::Tick before = client.connection.mirror()->tick();
  const std::uint64_t commands = server().stats().commands;
  for (int i = 0; i < 20; ++i) {
    client.input->set_command(test::move_command(42, 0));
    village->tick();
  }
  EXPECT_EQ(server().stats().commands, commands) << "they are not this zone's";
  EXPECT_GT(client.connection.mirror()->tick(), before + 15);
  EXPECT_TRUE(client.connection.mirror()->registry().valid(own));
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_FALSE(client.connection.take_follow());
  ASSERT_TRUE(crossing().departing("anna"));
  EXPECT_EQ(crossing().departing("anna")->user_data[0], std::byte{'a'});
  crossing().send_after("anna", follow_to("b"));
  EXPECT_FALSE(crossing().departing("anna")) << "once";
  village->ticks(3);
  const std::optional<wire::Follow> follow = client.connection.take_follow();
  ASSERT_TRUE(follow);
  EXPECT_EQ(follow->world, "b");
  client.connection.close(client.port);
  village->ticks(3);
  EXPECT_TRUE(server().endpoint().sessions().empty());
  EXPECT_EQ(world.try_viewer(1), nullptr);
}

TEST_F(PlayerCrossingTest, AClientThatDoesNotFollowIsDisconnected) {
  for (const bool sent : {false, true}) {
    open();
    follows = true;
    Client& client = join_and_play("anna");
    Kept kept;
    ASSERT_TRUE(
        crossing().release_to_zone(client.connection.player_entity(), "b", bytes_max, kept.by(server().world())));
    if (sent) crossing().send_after("anna", follow_to("b"));
    village->ticks(150);
    EXPECT_FALSE(closed(client));
    EXPECT_EQ(end_of(client).code, sent ? ReasonCode::moved : ReasonCode::pipe_lost);
    EXPECT_EQ(client.connection.moved_to(), sent ? "b" : "");
  }
}

TEST_F(PlayerCrossingTest, AClientWaitsForItsPlayer) {
  open();
  awaits_player = true;
  Client& client = join("anna");
  village->ticks(40);
  EXPECT_EQ(client.connection.state(), client::Connection::State::joining);
  EXPECT_TRUE(portal.players.empty()) << "the game is not asked";
  ASSERT_TRUE(crossing().take_in(anna(), "b"));
  ASSERT_TRUE(village->tick_until([&] { return village->mirrors(client); }));
  EXPECT_EQ(client.connection.player_entity(), portal.arrived.front().entity);
  EXPECT_THAT(end_of(join("bert")).text, HasSubstr("player not arrived"));
}

TEST_F(PlayerCrossingTest, AnEntityCrossesToAZoneAlone) {
  open();
  World& world = server().world();
  const ecs::Entity mob = world.registry().create();
  Kept kept;
  const core::Result<CrossingPlayer> player = crossing().release_to_zone(mob, "b", bytes_max, kept.by(world));
  ASSERT_TRUE(player);
  EXPECT_EQ(player->account, "");
  ASSERT_TRUE(crossing().take_in(*player, "b"));
  EXPECT_TRUE(world.registry().valid(mob));
  crossing().remove("", player->zone.entities);
  EXPECT_EQ(world.registry().entities().elsewhere_at(mob.index), mob);
}

TEST_F(PlayerCrossingTest, ARefusedCrossingToAZoneChangesNothing) {
  open();
  World& world = server().world();
  const ecs::Entity root = world.registry().create();
  Kept kept;
  const auto refusal = [&](std::size_t most = bytes_max) {
    const core::Result<CrossingPlayer> released = crossing().release_to_zone(root, "b", most, kept.by(world));
    return released.ok() ? "" : released.error().reason;
  };
  EXPECT_STREQ(refusal(10), "too large");
  join_and_play("anna");
  ASSERT_TRUE(world.hierarchy().set_parent(world.player_entity(newest()), root).ok());
  portal.closed = true;
  EXPECT_STREQ(refusal(), "portal closed");
  portal.closed = false;
  join_and_play("bert");
  ASSERT_TRUE(world.hierarchy().set_parent(world.player_entity(newest()), root).ok());
  EXPECT_STREQ(refusal(), "several players");
  EXPECT_TRUE(kept.entities.empty());
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(PlayerCrossingTest, APlayerNotTakenIntoAZoneLeavesNoTrace) {
  open();
  join_and_play("anna");
  World& world = server().world();
  const ecs::Entity own = world.player_entity(newest());
  Kept kept;
  const core::Result<CrossingPlayer> player = crossing().release_to_zone(own, "b", bytes_max, kept.by(world));
  ASSERT_TRUE(player);
  for (const bool throws : {false, true}) {
    portal.closed = !throws;
    portal.throws = throws;
    EXPECT_FALSE(crossing().take_in(*player, "b"));
    EXPECT_EQ(world.registry().entities().elsewhere_at(own.index), own);
  }
}

TEST_F(PlayerCrossingTest, AnArrivedPlayerWaitsForItsClient) {
  open();
  ASSERT_TRUE(crossing().take_in(anna(), "b"));
  EXPECT_EQ(server().players(), 1u);
  ASSERT_EQ(portal.arrived.size(), 1u);
  const ecs::Entity own = portal.arrived.front().entity;
  EXPECT_EQ(server().world().registry().get<const demo::Health>(own).current, 42);
  village->ticks(3);
  Client& client = join_and_play("anna");
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(portal.players.back().id, portal.arrived.front().id);
  EXPECT_EQ(server().players(), 1u);
}

TEST_F(PlayerCrossingTest, AnArrivedPlayerReplacesOneOfItsAccount) {
  open();
  Client& client = join_and_play("anna");
  ASSERT_TRUE(crossing().take_in(anna(), "b"));
  EXPECT_EQ(end_of(client), (Reason{ReasonCode::moved, "b"})) << "it joins again";
  EXPECT_EQ(server().players(), 1u);
  EXPECT_EQ(portal.gone.size(), 1u);
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), portal.arrived.front().entity);
}

// A server may end before it has disconnected the client.
TEST_F(PlayerCrossingTest, AClientThatReturnsIsSentAfterItsPlayer) {
  open({.rejoin_grace = 5 * core::second});
  join_and_play("anna");
  ASSERT_TRUE(crossing().release(newest(), "b", bytes_max));
  EXPECT_EQ(end_of(join("anna")).code, ReasonCode::pipe_lost) << "undecided";
  crossing().leave("anna", "b", village->now);
  EXPECT_EQ(end_of(join("anna")), (Reason{ReasonCode::moved, "b"}));
  EXPECT_EQ(server().players(), 0u);
  join_and_play("bert");
  village->ticks(5 * 20);
  join_and_play("anna");  // after the grace period as a new player
  EXPECT_EQ(server().players(), 2u);
}

TEST_F(PlayerCrossingTest, TheEntityThatAHookHasGivenCrosses) {
  open();
  join_and_play("anna");
  const std::size_t before = entities();
  portal.on_may_leave = [](World& world, const Player& player) {
    const ecs::Entity next = *world.create(demo::Health{.current = 7});
    world.set_player_entity(player.id, next);
    world.destroy(player.entity);
  };
  const core::Result<CrossingPlayer> player = crossing().release(newest(), "b", bytes_max);
  ASSERT_TRUE(player);
  EXPECT_EQ(entities(), before - 1);
  portal.on_may_leave = nullptr;
  ASSERT_TRUE(crossing().take_in(*player, "a"));
  EXPECT_EQ(server().world().registry().get<const demo::Health>(portal.arrived.front().entity).current, 7);
}

TEST_F(PlayerCrossingTest, APlayerMayCrossWithoutAnEntity) {
  open();
  join_and_play("anna");
  portal.on_may_leave = [](World& world, const Player& player) { world.destroy(player.entity); };
  const core::Result<CrossingPlayer> player = crossing().release(newest(), "b", bytes_max);
  ASSERT_TRUE(player);
  EXPECT_TRUE(player->pack.empty());
}

TEST_F(PlayerCrossingTest, AnExceptionOfUnpackLeavesNoTrace) {
  open();
  const std::size_t before = entities();
  portal.throws = true;
  const core::Status taken = crossing().take_in(anna(), "a");
  ASSERT_FALSE(taken);
  EXPECT_STREQ(taken.error().reason, "failed");
  EXPECT_THAT(taken.error().message, HasSubstr("in Game::unpack: no seat"));
  EXPECT_EQ(entities(), before);
  EXPECT_EQ(server().players(), 0u);
  portal.throws = false;
  EXPECT_TRUE(crossing().take_in(anna(), "a"));
}

TEST_F(PlayerCrossingTest, APlayerWhoIsBackIsHere) {
  open();
  crossing().leave("anna", "b", village->now);
  ASSERT_TRUE(crossing().take_in(anna(), "a"));
  EXPECT_EQ(join_and_play("anna").connection.player_entity(), portal.arrived.front().entity);
}

TEST_F(PlayerCrossingTest, APlayerWhoIsNotTakenInLeavesNoTrace) {
  open({.players_max = 1});
  const CrossingPlayer arriving = anna();
  const std::size_t before = entities();
  const auto refusal = [&](const CrossingPlayer& player) {
    const core::Status taken = crossing().take_in(player, "b");
    EXPECT_EQ(entities(), before);
    return taken.ok() ? "" : taken.error().reason;
  };
  portal.closed = true;
  EXPECT_STREQ(refusal(arriving), "portal closed");
  EXPECT_EQ(server().players(), 0u);
  CrossingPlayer damaged = arriving;
  damaged.pack.resize(damaged.pack.size() / 2);
  EXPECT_STRNE(refusal(damaged), "");
  portal.closed = false;
  ASSERT_TRUE(crossing().take_in(arriving, "b"));
  const std::size_t with_one = entities();
  CrossingPlayer other = arriving;
  other.account = "bert";
  const core::Status full = crossing().take_in(other, "b");
  ASSERT_FALSE(full);
  EXPECT_STREQ(full.error().reason, "world full");
  EXPECT_EQ(entities(), with_one);
  village->ticks(5);
}

TEST_F(PlayerCrossingTest, ARemovedAccountHasNoEntityLeft) {
  open();
  const std::size_t before = entities();
  server().restore_players(3, {{1, "Anna", "anna", server().world().registry().create(), true},
                               {0, "", "bert", server().world().registry().create(), false}});
  for (const char* account : {"anna", "bert", "nobody"}) crossing().remove(account);
  EXPECT_EQ(entities(), before);
  EXPECT_TRUE(server().known_players().empty());
  village->ticks(5);
}

TEST_F(PlayerCrossingTest, WithoutAClusterNobodyLeaves) {
  open();
  Client& client = join_and_play("anna");
  server().world().send_player(newest(), "b");
  testing::internal::CaptureStderr();
  village->ticks(5);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("does not leave for world b: this server is no node of a cluster"));
  EXPECT_TRUE(village->mirrors(client));
}

}  // namespace player_crossing_test
}  // namespace mobula::server

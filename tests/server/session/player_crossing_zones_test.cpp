// Players who cross from zone to zone, and clients that see both.
#include <server/session/player_crossing_fixture.hpp>

namespace mobula::server {
namespace player_crossing_test {

using testing::HasSubstr;

TEST_F(PlayerCrossingTest, APlayerCrossesToAZoneWithItsHandle) {
  open();  // a game that destroys the entities of players who leave
  join_and_play("anna");
  World& world = server().world();
  const ecs::Entity vehicle = world.registry().create();
  const ecs::Entity own = world.player_entity(newest());
  ASSERT_TRUE(world.hierarchy().set_parent(own, vehicle).ok());
  Kept kept;
  core::Result<CrossingPlayer> player = crossing().release_to_zone({&vehicle, 1}, "b", bytes_max, kept.by(world));
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

// It has arrived, and goes on before its client has come.
TEST_F(PlayerCrossingTest, APlayerWhoCrossesTwiceKeepsItsNumbers) {
  open();
  CrossingPlayer arrived = anna();
  arrived.commands = 70;
  ASSERT_TRUE(crossing().take_in(arrived, "b"));
  const ecs::Entity own = portal.arrived.front().entity;
  Kept kept;
  const core::Result<CrossingPlayer> left =
      crossing().release_to_zone({&own, 1}, "c", bytes_max, kept.by(server().world()));
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->commands, 70u);
}

// Its process had created the entity after the save, and a record in the cluster has it.
TEST_F(PlayerCrossingTest, AnEntityUnknownToTheSaveKeepsItsIndex) {
  open();
  ecs::Registry& registry = server().world().registry();
  const ecs::Entity known = registry.create();
  const ecs::Entity unknown{known.index + 1, known.generation};
  crossing().remove({}, {&unknown, 1});
  EXPECT_TRUE(registry.entities().is_abroad(unknown));
  EXPECT_NE(registry.create().index, unknown.index);
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
  ASSERT_TRUE(crossing().release_to_zone({&own, 1}, "b", bytes_max, kept.by(world)));
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
  ASSERT_TRUE(crossing().follower("anna"));
  EXPECT_EQ(crossing().follower("anna")->user_data[0], std::byte{'a'});
  crossing().send_follow("anna", follow_to("b"));
  EXPECT_FALSE(crossing().follower("anna")) << "once";
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
    ASSERT_TRUE(crossing().release_to_zone(std::array{client.connection.player_entity()}, "b", bytes_max,
                                           kept.by(server().world())));
    if (sent) crossing().send_follow("anna", follow_to("b"));
    village->ticks(150);
    EXPECT_FALSE(closed(client));
    EXPECT_EQ(end_of(client).code, sent ? ReasonCode::moved : ReasonCode::pipe_lost);
    EXPECT_EQ(client.connection.moved_to(), sent ? "b" : "");
  }
}

class ZoneVisitTest : public PlayerCrossingTest {
 protected:
  static constexpr std::uint64_t zone_id = 1;
  static constexpr std::uint64_t visitor_id = 2;

  // The first client is a neighbouring zone, and the second one visits.
  Client& visit() {
    const ZoneRegion west{1, {0, 0, 9, 9}};
    open({.zone = ZoneConfig{.zone = west, .neighbour = [west](const Identity& identity) {
                               return identity.client_id == zone_id ? std::optional(west) : std::nullopt;
                             }}});
    near = server().world().registry().create();
    Client& zone = watch("zone");
    awaits_player = true;
    Client& client = join("anna");
    village->ticks(10);
    EXPECT_EQ(client.connection.state(), client::Connection::State::joining);
    EXPECT_TRUE(zone.connection.send_to_zone(wire::Visit{visitor_id, near}));
    EXPECT_TRUE(village->tick_until([&] { return client.connection.complete(); }));
    EXPECT_TRUE(client.connection.mirror()->registry().valid(near));
    EXPECT_FALSE(client.connection.player_entity());
    EXPECT_TRUE(portal.players.empty()) << "the game is not asked";
    EXPECT_EQ(server().players(), 0u);
    return client;
  }

  ecs::Entity near;
};

TEST_F(ZoneVisitTest, ThePlayerOfAVisitorArrivesInItsSession) {
  Client& client = visit();
  const std::uint32_t number = client.connection.player();
  CrossingPlayer player = anna();
  player.commands = 5;
  ASSERT_TRUE(crossing().take_in(player, "b"));
  EXPECT_EQ(portal.players.size(), 1u) << "it joins at once";
  village->ticks(3);
  EXPECT_EQ(client.connection.player_entity(), portal.arrived.front().entity);
  EXPECT_EQ(portal.players.back().id, number);
  EXPECT_EQ(server().players(), 1u);
  EXPECT_EQ(server().endpoint().sessions().size(), 2u);
  EXPECT_TRUE(runs_a_command(client));
  client.connection.drop(client.port);  // it does not know that its player is here
  village->ticks(5);
  EXPECT_EQ(server().players(), 1u) << "kept for its client";
}

// Its session waits for Follow as any other, however long ago its visit was.
TEST_F(ZoneVisitTest, AVisitorIsSentAfterItsPlayerWhenThatLeaves) {
  follows = true;
  Client& client = visit();
  ASSERT_TRUE(crossing().take_in(anna(), "b"));
  village->ticks(250);
  const ecs::Entity own = client.connection.player_entity();
  Kept kept;
  ASSERT_TRUE(crossing().release_to_zone({&own, 1}, "c", bytes_max, kept.by(server().world())));
  village->ticks(40);
  EXPECT_FALSE(closed(client));
  EXPECT_TRUE(crossing().follower("anna"));
}

TEST_F(ZoneVisitTest, APlayerWhoIsRefusedEndsTheVisit) {
  for (const bool at_unpack : {true, false}) {
    log_ins = 0;
    Client& client = visit();
    portal.closed = at_unpack;
    portal.refuse_former = !at_unpack;
    EXPECT_EQ(crossing().take_in(anna(), "b").ok(), !at_unpack);
    EXPECT_EQ(end_of(client), (Reason{ReasonCode::moved, "b"}));
    EXPECT_EQ(server().players(), at_unpack ? 0u : 1u) << "it waits for its client";
    portal.closed = portal.refuse_former = awaits_player = false;
    portal.players.clear();
  }
}

TEST_F(ZoneVisitTest, AVisitEndsAfterItsEntity) {
  Client& client = visit();
  village->ticks(300);
  EXPECT_FALSE(closed(client));
  server().world().registry().destroy(near);
  EXPECT_EQ(end_of(client).code, ReasonCode::pipe_lost);
  EXPECT_EQ(server().endpoint().sessions().size(), 1u);
}

TEST_F(ZoneVisitTest, AClientCannotAnnounceAVisit) {
  open();
  Client& client = join_and_play("anna");
  EXPECT_TRUE(client.connection.send_to_zone(wire::Visit{7, client.connection.player_entity()}));
  EXPECT_EQ(end_of(client).code, ReasonCode::protocol_error);
}

TEST_F(ZoneVisitTest, AClientCannotForward) {
  open();
  Client& client = join_and_play("anna");
  EXPECT_TRUE(client.connection.send_to_zone(wire::Forward{.entity = client.connection.player_entity(), .bytes = {}}));
  EXPECT_EQ(end_of(client).code, ReasonCode::protocol_error);
}

TEST_F(PlayerCrossingTest, AClientWaitsForItsPlayer) {
  open();
  awaits_player = true;
  Client& client = join("anna");
  village->ticks(40);
  EXPECT_EQ(client.connection.state(), client::Connection::State::joining);
  EXPECT_TRUE(portal.players.empty()) << "the game is not asked";
  CrossingPlayer player = anna();
  player.commands = 5;
  ASSERT_TRUE(crossing().take_in(player, "b"));
  ASSERT_TRUE(village->tick_until([&] { return village->mirrors(client); }));
  EXPECT_EQ(client.connection.player_entity(), portal.arrived.front().entity);
  EXPECT_TRUE(runs_a_command(client));
  EXPECT_THAT(end_of(join("bert")).text, HasSubstr("player not arrived"));
}

// Its feedback did not reach the client, which repeats it.
TEST_F(PlayerCrossingTest, ACommandOfTheFormerZoneIsNotDoneAgain) {
  for (const std::uint32_t done : {0u, 1u}) {
    log_ins = 0;
    portal.ran.clear();
    open();
    CrossingPlayer player = anna();
    player.commands = done;
    ASSERT_TRUE(crossing().take_in(player, "b"));
    awaits_player = true;
    Client& client = join("anna");
    const client::Connection former(client.connection.config(), village->now);
    client.connection.prepare_for(former);
    EXPECT_EQ(runs_a_command(client), done == 0) << "command 1";
    EXPECT_TRUE(runs_a_command(client)) << "command 2";
    awaits_player = false;
  }
}

TEST_F(PlayerCrossingTest, ASpectatorHasNoPlayerToAwait) {
  open();
  awaits_player = true;
  EXPECT_EQ(end_of(join("anna", true)).code, ReasonCode::protocol_error);
}

TEST_F(PlayerCrossingTest, AnEntityCrossesToAZoneAlone) {
  open();
  World& world = server().world();
  const ecs::Entity mob = world.registry().create();
  Kept kept;
  const core::Result<CrossingPlayer> player = crossing().release_to_zone({&mob, 1}, "b", bytes_max, kept.by(world));
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
    const core::Result<CrossingPlayer> released = crossing().release_to_zone({&root, 1}, "b", most, kept.by(world));
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

TEST_F(PlayerCrossingTest, APlayerWithAnotherEntityStaysInItsZone) {
  open();
  join_and_play("anna");
  World& world = server().world();
  const ecs::Entity own = world.player_entity(newest());
  portal.on_may_leave = [](World& there, const Player& player) {
    there.set_player_entity(player.id, there.registry().create());
  };
  Kept kept;
  const auto released = crossing().release_to_zone({&own, 1}, "b", bytes_max, kept.by(world));
  ASSERT_FALSE(released);
  EXPECT_STREQ(released.error().reason, "other entity");
  EXPECT_EQ(server().players(), 1u);
  EXPECT_TRUE(kept.entities.empty());
}

// As after an exception in a crossing, which ends the world.
TEST_F(PlayerCrossingTest, AGameIsNotGivenAGhostToDestroy) {
  open();
  Client& client = join_and_play("anna");
  const ecs::Entity own = client.connection.player_entity();
  ecs::Guests(server().world().registry()).set_ghost(own, true);
  client.connection.close(client.port);
  village->ticks(5);
  ASSERT_EQ(portal.gone.size(), 1u);
  EXPECT_EQ(portal.gone.back().entity, ecs::null_entity);
  EXPECT_TRUE(server().world().registry().valid(own));
}

TEST_F(PlayerCrossingTest, APlayerNotTakenIntoAZoneLeavesNoTrace) {
  open();
  join_and_play("anna");
  World& world = server().world();
  const ecs::Entity own = world.player_entity(newest());
  Kept kept;
  const core::Result<CrossingPlayer> player = crossing().release_to_zone({&own, 1}, "b", bytes_max, kept.by(world));
  ASSERT_TRUE(player);
  for (const bool throws : {false, true}) {
    portal.closed = !throws;
    portal.throws = throws;
    EXPECT_FALSE(crossing().take_in(*player, "b"));
    EXPECT_EQ(world.registry().entities().elsewhere_at(own.index), own);
  }
}

}  // namespace player_crossing_test
}  // namespace mobula::server

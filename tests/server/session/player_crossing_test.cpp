#include <server/session/player_crossing_fixture.hpp>

namespace mobula::server {
namespace player_crossing_test {

using testing::HasSubstr;

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

#include <client/connection/connection_fixture.hpp>
#include <mobula/client/connection/zone_follower.hpp>

namespace mobula::client {
namespace zone_follower_test {

using Step = ZoneFollower::Step;

// A client that plays, and a second server to which it may connect.
class ZoneFollowerTest : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    play();
    ASSERT_NO_FATAL_FAILURE(there.connect());
    there.send_message(HostileServer::welcome());
    there.ticks(5);
  }
  static void send(HostileServer& from, const std::string& world, bool is_visit) {
    from.send_message(wire::Follow{.world = world,
                                   .token = transport::write_token(test::test_token(7)),
                                   .addresses = {"udp://" + world + ".example"},
                                   .visit = is_visit});
    from.ticks(3);
  }
  void close_second() {
    struct Nowhere : transport::Output {
      void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
    } nowhere;
    there.connection.close(nowhere);
  }
  Step update(Connection* second) { return follower.update(server.connection, second); }

  HostileServer there;
  ZoneFollower follower;
};

TEST_F(ZoneFollowerTest, AVisitIsOpenWhenThePlayerCrosses) {
  EXPECT_EQ(update(nullptr), Step::none);
  send(server, "east", true);
  EXPECT_EQ(update(nullptr), Step::open);
  EXPECT_EQ(follower.zone().world, "east");
  EXPECT_FALSE(follower.has_moved());
  EXPECT_EQ(update(&there.connection), Step::none);
  send(server, "east", false);
  EXPECT_EQ(update(&there.connection), Step::none) << "it is there";
  EXPECT_TRUE(follower.has_moved());
  follower.on_arrived();
  EXPECT_FALSE(follower.has_moved());
}

TEST_F(ZoneFollowerTest, AnotherZoneReplacesTheVisit) {
  send(server, "east", true);
  EXPECT_EQ(update(nullptr), Step::open);
  send(server, "north", false);
  EXPECT_EQ(update(&there.connection), Step::open);
  EXPECT_EQ(follower.zone().world, "north");
}

TEST_F(ZoneFollowerTest, AClosedSecondIsDroppedOrGivenUp) {
  send(server, "east", true);
  EXPECT_EQ(update(nullptr), Step::open);
  close_second();
  EXPECT_EQ(update(&there.connection), Step::drop);
  send(server, "east", false);
  EXPECT_EQ(update(&there.connection), Step::open) << "a closed one is not there";
  EXPECT_EQ(update(&there.connection), Step::give_up);
  EXPECT_EQ(follower.world_after(there.connection.reason()), "east");
  EXPECT_EQ(follower.world_after({transport::ReasonCode::moved, "north"}), "north");
}

TEST_F(ZoneFollowerTest, GivesUpAZoneThatCannotBeReached) {
  send(server, "east", true);
  EXPECT_EQ(update(nullptr), Step::open);
  EXPECT_EQ(follower.on_refused(), Step::none);
  send(server, "east", false);
  EXPECT_EQ(update(nullptr), Step::open);
  EXPECT_EQ(follower.on_refused(), Step::give_up);
}

TEST_F(ZoneFollowerTest, TheSecondServerSendsThePlayerOn) {
  send(server, "east", false);
  EXPECT_EQ(update(nullptr), Step::open);
  send(there, "north", true);
  EXPECT_EQ(update(&there.connection), Step::none) << "a visit waits until it is the present connection";
  EXPECT_NE(there.connection.sent_follow(), nullptr);
  send(there, "south", false);
  EXPECT_EQ(update(&there.connection), Step::open);
  EXPECT_EQ(follower.zone().world, "south");
}

TEST_F(ZoneFollowerTest, AVisitElsewhereEndsWithThePlayersStay) {
  send(server, "east", true);
  EXPECT_EQ(update(nullptr), Step::open);
  EXPECT_EQ(follower.on_moved("east"), Step::none);
  EXPECT_TRUE(follower.has_moved());
  EXPECT_EQ(follower.on_moved("lobby"), Step::drop);
  EXPECT_EQ(follower.zone().world, "lobby");
}

TEST_F(ZoneFollowerTest, ConnectsLikeThePresentConnection) {
  send(server, "east", false);
  EXPECT_EQ(update(nullptr), Step::open);
  const transport::Address address = transport::Address::v4(192, 0, 2, 7, 7777);
  const core::Result<ConnectionConfig> settings = follower.settings(server.connection, address);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->name, "ada");
  EXPECT_TRUE(settings->awaits_player);
  EXPECT_EQ(settings->transport.token.servers, std::vector<transport::Address>{address});
  EXPECT_NE(settings->transport.token.client_to_server, server.connection.config().transport.token.client_to_server);
}

TEST_F(ZoneFollowerTest, OneWithoutThePlayersEntityIsNotComplete) {
  EXPECT_EQ(there.connection.state(), Connection::State::playing);
  EXPECT_FALSE(ZoneFollower::is_complete(there.connection));
}

}  // namespace zone_follower_test
}  // namespace mobula::client

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/connection/connection_fixture.hpp>

namespace mobula::client {
namespace {

using State = Connection::State;
using transport::ReasonCode;
using WelcomeWaitTest = ConnectionTest;  // a client that waits

// The server has read Hello and lets the client wait, as in a rush.
TEST_F(WelcomeWaitTest, WaitsAMinuteForABusyServer) {
  server.ticks(20 * 58);
  ASSERT_EQ(server.connection.state(), State::joining);
  server.ticks(20 * 3);
  EXPECT_EQ(server.connection.state(), State::closed);
  EXPECT_EQ(server.connection.reason().code, ReasonCode::handshake_timed_out);
  EXPECT_THAT(server.connection.reason().text, testing::HasSubstr("it is overloaded; try again later"));
}

// A machine without time for its clients proves nothing about the server.
TEST_F(WelcomeWaitTest, DoesNotTakeItsOwnPausesForAWait) {
  for (int i = 0; i < 25; ++i) server.frame(3 * core::second);  // each counts half a second
  ASSERT_EQ(server.connection.state(), State::joining) << to_string(server.connection.reason());
  server.ticks(20 * 46);
  EXPECT_EQ(server.connection.state(), State::joining);
  server.ticks(20 * 3);
  EXPECT_EQ(server.connection.state(), State::closed);
  EXPECT_EQ(server.connection.reason().code, ReasonCode::handshake_timed_out);
}

TEST_F(WelcomeWaitTest, PlaysAfterALongWaitForTheWelcome) {
  server.ticks(20 * 55);
  play();
}

TEST(WelcomeWait, EndsIfHelloIsNotAcknowledged) {
  HostileServer server;
  for (int i = 0; i < 20 && server.connection.state() != State::joining; ++i) server.tick();
  ASSERT_EQ(server.connection.state(), State::joining);
  server.carried_bytes_max = 60;  // keep-alives, but not Hello
  server.ticks(20 * 19);
  ASSERT_EQ(server.connection.state(), State::joining);
  server.ticks(20 * 2);
  EXPECT_EQ(server.connection.state(), State::closed);
  EXPECT_EQ(server.connection.reason().code, ReasonCode::handshake_timed_out);
  EXPECT_THAT(server.connection.reason().text, testing::HasSubstr("large datagrams do not arrive"));
}

}  // namespace
}  // namespace mobula::client

// Deltas that a connection receives, and the inputs by which it acknowledges them.
#include <gtest/gtest.h>

#include <client/connection/connection_fixture.hpp>

namespace mobula::client {
namespace {

TEST_F(ConnectionTest, AcknowledgesWhatItHasApplied) {
  play();
  for (const std::uint32_t sequence : {1u, 2u, 4u, 3u, 70u, 300u}) {
    server.send({.sequence = sequence, .tick = sequence});
    server.ticks(3);
  }
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 300u);
  EXPECT_TRUE(input.has(0));
  EXPECT_TRUE(input.has(300 - 70));
  for (const std::uint32_t age : {1u, 100u, 229u, 231u, 255u}) EXPECT_FALSE(input.has(age)) << age;
  EXPECT_EQ(server.connection.stats().deltas, 6u);
  EXPECT_EQ(server.connection.stats().late_deltas, 1u) << "the third arrived after the fourth";
}

TEST_F(ConnectionTest, AppliesALateDeltaOnceUnlessItIsTooOld) {
  play();
  for (const std::uint32_t sequence : {40u, 9u, 9u, 8u, 40u}) server.send({.sequence = sequence, .tick = sequence});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 40u);
  EXPECT_TRUE(input.has(40 - 9));
  EXPECT_FALSE(input.has(40 - 8)) << "it is late_max older than the newest";
  EXPECT_EQ(server.connection.stats().deltas, 2u);
}

TEST_F(ConnectionTest, CompletesShortNumbersFromThoseItHasReached) {
  play();
  server.send({.sequence = 70000, .tick = 200000});
  server.ticks(3);
  server.send({.sequence = 70001, .tick = 200001, .short_numbers = true});
  server.ticks(3);
  EXPECT_EQ(server.input().newest, 70001u);
  EXPECT_EQ(server.connection.mirror()->tick(), 200001u);
}

TEST_F(ConnectionTest, ShortNumbersBeforeALongDeltaCountAsLost) {
  play();
  server.send({.sequence = 10, .tick = 100000});
  server.send({.sequence = 9, .tick = 50, .short_numbers = true});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(server.connection.state(), State::playing);
  EXPECT_EQ(input.newest, 10u);
  EXPECT_FALSE(input.has(1));
  EXPECT_EQ(server.connection.stats().late_deltas, 1u);
}

TEST_F(ConnectionTest, ALateDeltaThatCannotBeAppliedCountsAsLost) {
  play();
  server.send({.sequence = 2, .tick = 2});
  server.send({.sequence = 1, .tick = 1}, core::Bytes(9, std::byte{0xff}));
  server.ticks(3);
  EXPECT_EQ(server.connection.state(), State::playing);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 2u);
  EXPECT_TRUE(input.has(0));
  EXPECT_FALSE(input.has(1));
}

TEST_F(ConnectionTest, AcknowledgesConsecutiveDeltas) {
  play();
  for (const std::uint32_t sequence : {1u, 2u, 4u}) server.send({.sequence = sequence, .tick = sequence});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 4u);
  EXPECT_TRUE(input.has(0));
  EXPECT_FALSE(input.has(1));
  EXPECT_TRUE(input.has(2));
  EXPECT_TRUE(input.has(3));
  EXPECT_FALSE(input.has(4));
}

TEST_F(ConnectionTest, SendsLongAcknowledgementsToASilentServer) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 300; ++sequence) {
    server.send({.sequence = sequence, .tick = sequence});
    server.tick();
  }
  EXPECT_GT(server.input().words, 3u);
}

// A delta marked as complete covers what the server knew then, and not losses that it did not know yet.
TEST_F(ConnectionTest, IsCompleteOnlyWithoutUnknownLosses) {
  play();
  const auto complete_after = [&](std::uint32_t sequence, std::uint32_t ack, bool complete = true) {
    server.send({.sequence = sequence, .tick = sequence, .ack = ack, .complete = complete});
    server.ticks(2);
    return server.connection.complete();
  };
  EXPECT_TRUE(complete_after(1, 0));
  EXPECT_FALSE(complete_after(2, 0, false));
  EXPECT_TRUE(complete_after(3, 0));
  for (std::uint32_t sequence = 5; sequence < 60; ++sequence)  // the fourth is lost, and the server receives no input
    EXPECT_FALSE(complete_after(sequence, 0)) << sequence;
  EXPECT_TRUE(complete_after(60, server.input().ack)) << "the server has acknowledged the loss and sent it again";
  EXPECT_FALSE(complete_after(62, 0));
}

TEST_F(ConnectionTest, CountsTicksAndNotDeltas) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 6; ++sequence)
    server.send({.sequence = sequence, .tick = (sequence + 2) / 3});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().deltas, 6u);
  EXPECT_EQ(server.connection.stats().ticks, 2u);
}

TEST_F(ConnectionTest, VerifiesEachAcknowledgementOnce) {
  play();
  server.send({.sequence = 1, .tick = 1});
  server.ticks(3);
  const std::uint32_t ack = server.input().ack;
  ASSERT_GT(ack, 0u);
  server.send({.sequence = 2, .tick = 2, .ack = ack, .verifies = true, .hash = 0});
  server.send({.sequence = 3, .tick = 2, .ack = ack, .verifies = true, .hash = 1});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks, 1u);
  EXPECT_EQ(server.connection.stats().mismatched_ticks, 0u);
  server.send({.sequence = 4, .tick = 3, .ack = server.input().ack, .verifies = true, .hash = 0xbad});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks, 1u);
  EXPECT_EQ(server.connection.stats().mismatched_ticks, 1u);
  EXPECT_EQ(server.connection.state(), State::playing);
}

TEST_F(ConnectionTest, ADeltaWithAnUnsentAcknowledgementEndsIt) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 5000});
  expect_failure();
}

TEST_F(ConnectionTest, ADeltaWithAnOldAcknowledgementCountsAsLost) {
  play();
  const std::uint32_t long_ago = server.input().ack;
  server.ticks(Mirror::acknowledged_kept + 44);
  server.send({.sequence = 1, .tick = 1, .ack = long_ago});
  server.ticks(3);
  ASSERT_EQ(server.connection.state(), State::playing);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 0u) << "handled as a lost delta";
  server.send({.sequence = 2, .tick = 2, .ack = input.ack});
  server.ticks(3);
  EXPECT_EQ(server.input().newest, 2u);
}

TEST_F(ConnectionTest, AHashWithoutAnAcknowledgementIsIgnored) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 0, .verifies = true, .hash = 7});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks + server.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ConnectionTest, AMalformedDeltaEndsItAndKeepsTheMirror) {
  play();
  server.send({.sequence = 1, .tick = 1}, core::Bytes(9, std::byte{0xff}));
  expect_failure();
  EXPECT_EQ(server.connection.mirror()->hash(), 0u);
  server.connection.mirror()->check();
}

TEST_F(ConnectionTest, ADeltaBeforeWelcomeEndsIt) {
  server.send({.sequence = 1, .tick = 1});
  expect_failure();
}

// Each frame of a fast display is an update, but the server handles at most 16 inputs per tick.
TEST_F(ConnectionTest, SendsAtMostFourInputsPerTick) {
  play();
  const std::uint32_t before = server.input().ack;
  for (std::uint32_t i = 1; i <= 500; ++i) {  // 20 ticks
    server.send({.sequence = i, .tick = i});
    server.frame(2 * core::millisecond);
  }
  server.ticks(2);
  const std::uint32_t inputs = server.input().ack - before;
  EXPECT_LE(inputs, 20 * 4u + 8);
  EXPECT_GE(inputs, 20 * 3u);
}

TEST_F(ConnectionTest, SendsOneInputPerTickWithoutNews) {
  play();
  const std::uint32_t before = server.input().ack;
  for (int i = 0; i < 500; ++i) server.frame(2 * core::millisecond);  // 20 ticks
  const std::uint32_t inputs = server.input().ack - before;
  EXPECT_LE(inputs, 21u);
  EXPECT_GE(inputs, 18u);
}

// The server answers commands in its deltas, of which there are none here.
TEST_F(ConnectionTest, RepeatsAnUnansweredCommandMoreOften) {
  play();
  server.send({.sequence = 1, .tick = 1});
  server.ticks(2);
  server.connection.set_command(core::as_bytes("jump", 4));
  const std::uint32_t before = server.input().ack;
  for (int i = 0; i < 500; ++i) server.frame(2 * core::millisecond);  // 20 ticks
  EXPECT_GE(server.input().ack - before, 20 * 3u);
  EXPECT_EQ(server.connection.commands().size(), 1u);
}

}  // namespace
}  // namespace mobula::client

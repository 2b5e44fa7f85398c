#include <gtest/gtest.h>

#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using State = ClientEndpoint::State;

TEST(ClientEndpoint, ConnectsAndTalks) {
  EndpointWorld world;
  auto& client = world.add_client();
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  world.run(100 * millisecond);
  ASSERT_TRUE(client.endpoint.connected());
  ASSERT_EQ(world.server.sessions().size(), 1u);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].kind, ServerEvent::Kind::connected);
  EXPECT_EQ(world.events[0].address, client.port.from);

  Session& session = *world.server.find(world.server.sessions()[0]);
  const core::Bytes question(3000, std::byte{1});
  const core::Bytes answer(500, std::byte{2});
  ASSERT_TRUE(client.endpoint.session().send_reliable(question).ok());
  ASSERT_TRUE(session.send_unreliable(answer).ok());
  world.run(50 * millisecond);
  core::Bytes message;
  ASSERT_TRUE(session.next_reliable(message));
  EXPECT_EQ(message, question);
  ASSERT_TRUE(client.endpoint.session().next_unreliable(message));
  EXPECT_EQ(message, answer);
}

TEST(ClientEndpoint, GivesUpWhenNobodyAnswers) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.filter = [](const Address&, const Address& to, core::ByteView) { return to != server_address; };
  world.run(9900 * millisecond);
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  world.run(300 * millisecond);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_FALSE(client.endpoint.server_answered());
  EXPECT_EQ(to_string(client.endpoint.reason()), "timed out: no answer from 10.0.0.1:7777");
}

TEST(ClientEndpoint, ConnectsAlthoughEachReplyIsLostOnce) {
  EndpointWorld world;
  std::array<int, 8> seen{};
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    return ++seen[static_cast<std::size_t>(kind_of(datagram))] != 1;
  };
  auto& client = world.add_client();
  world.run(2 * second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(ServerEvent::Kind::connected), 1);
}

TEST(ClientEndpoint, HearsOnlyItsServer) {
  EndpointWorld world;
  auto& client = world.add_client(client_address(1), {.nonce = 77});
  Datagram forged;
  encode(Refused{77, {ReasonCode::kicked, "forged"}}, forged);
  client.endpoint.receive(Address::v4(6, 6, 6, 6, 7777), forged.view(), 0);
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  encode(Refused{78, {ReasonCode::kicked, "guessed another nonce"}}, forged);
  client.endpoint.receive(server_address, forged.view(), 0);
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  encode(Accepted{78, {1}}, forged);
  client.endpoint.receive(server_address, forged.view(), 0);
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  EXPECT_FALSE(client.endpoint.server_answered());
  EXPECT_EQ(client.endpoint.ignored(), 3u);
}

TEST(ClientEndpoint, CannotBeDisconnectedWithoutItsConnectionId) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  Datagram forged;
  encode(Disconnect{{12345}, {ReasonCode::kicked, "forged"}}, forged);
  client.endpoint.receive(server_address, forged.view(), world.now);
  encode_envelope({12345}, forged.bytes);
  forged.size = 17;
  client.endpoint.receive(server_address, forged.view(), world.now);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(client.endpoint.ignored(), 2u);
}

TEST(ClientEndpoint, RandomBytesFromTheServersAddressBreakNothing) {
  constexpr std::uint64_t seed = 4;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EndpointWorld world;
  ClientEndpoint connecting({.server = server_address, .nonce = 5}, 0);
  auto& connected = world.add_client();
  world.run(100 * millisecond);
  for (int round = 0; round < 20'000; ++round) {
    core::Bytes bytes(random.below(80));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random.below(9));
    connecting.receive(server_address, bytes, world.now);
    connected.endpoint.receive(server_address, bytes, world.now);
  }
  EXPECT_EQ(connecting.ignored(), 20'000u);
  EXPECT_EQ(connected.endpoint.ignored(), 20'000u);
  EXPECT_TRUE(connected.endpoint.connected());
}

TEST(ClientEndpoint, SaysGoodbye) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  client.endpoint.close({ReasonCode::left, "done"}, client.port);
  EXPECT_TRUE(client.endpoint.closed());
  world.run(50 * millisecond);
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[1].kind, ServerEvent::Kind::disconnected);
  EXPECT_EQ(world.events[1].reason, (Reason{ReasonCode::left, "done"}));
  EXPECT_EQ(world.events[1].session, world.events[0].session);
  client.endpoint.close({ReasonCode::left, "again"}, client.port);
  EXPECT_EQ(client.endpoint.reason().text, "done");
}

TEST(ClientEndpoint, NoticesThatTheServerIsGone) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(second);
  world.filter = [](const Address& from, const Address&, core::ByteView) { return from != server_address; };
  world.run(9500 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  world.run(second);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_EQ(client.endpoint.reason().code, ReasonCode::timed_out);
}

TEST(ClientEndpoint, ProbingLeavesNothingBehind) {
  EndpointWorld world;
  auto& probe = world.add_client();
  probe.endpoint.update(world.now, probe.port);
  world.deliver();
  world.deliver();
  EXPECT_TRUE(probe.endpoint.server_answered());
  world.remove_client(0);
  world.run(second);
  EXPECT_TRUE(world.events.empty());
  EXPECT_EQ(world.server.counters().challenges, 1u);
}

}  // namespace
}  // namespace mobula::transport

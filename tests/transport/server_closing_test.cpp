// Sessions that a server endpoint closes, and their reasons.
#include <gtest/gtest.h>

#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

TEST(ServerEndpoint, ClosesASilentClientAfterTheTokenTimeout) {
  EndpointWorld world;
  TokenRequest patient = token_request(50);
  patient.timeout_seconds = 20;
  TokenRequest endless = token_request(51);
  endless.timeout_seconds = -1;
  world.add_client();
  world.add_client(client_address(50), make_token(patient));
  world.add_client(client_address(51), make_token(endless));
  world.run(second);
  world.clients.clear();
  world.run(9500 * millisecond);
  EXPECT_EQ(world.server.sessions().size(), 3u);
  world.run(second);
  EXPECT_EQ(world.server.sessions().size(), 2u);
  ASSERT_EQ(world.events.size(), 4u);
  EXPECT_EQ(world.events[3].reason.code, ReasonCode::timed_out);
  EXPECT_TRUE(world.events[3].reason.text.starts_with("no packet from the client for 10 s"))
      << world.events[3].reason.text;
  world.run(10 * second);
  EXPECT_EQ(world.server.sessions().size(), 1u);
  world.run(100 * second);
  EXPECT_EQ(world.server.sessions().size(), 1u);
}

TEST(ServerEndpoint, SendsTheDisconnectReason) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  const SessionId id = world.server.sessions()[0];
  EXPECT_EQ(world.server.address(id), client.port.from);
  std::vector<PacketType> sent;
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    sent.push_back(type_of(datagram));
    return true;
  };
  const Reason reason{ReasonCode::refused, "another schema"};
  EXPECT_TRUE(world.server.disconnect(id, reason, world.now, world.server_port));
  EXPECT_FALSE(world.server.disconnect(id, reason, world.now, world.server_port));
  EXPECT_EQ(sent, std::vector(4, PacketType::payload)) << "a bare disconnect that overtakes them would hide the reason";
  EXPECT_EQ(world.server.find(id), nullptr);
  world.run(50 * millisecond);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_EQ(client.endpoint.reason(), reason);
  EXPECT_EQ(world.events.back().reason, reason);
}

TEST(ServerEndpoint, RepeatsALostReasonAtALimitedRate) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  world.filter = [](const Address& from, const Address&, core::ByteView) { return !(from == server_address); };
  world.server.disconnect_all({ReasonCode::shutting_down, "maintenance"}, world.now, world.server_port);
  world.run(50 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  int answers = 0;
  world.filter = [&](const Address& from, const Address&, core::ByteView) {
    answers += from == server_address ? 1 : 0;
    return !(from == server_address);
  };
  for (std::uint64_t i = 0; i < 1000; ++i) {
    world.inject(client.port.from, packet_of(1, PacketType::keep_alive, far_ahead + i, core::Bytes(8)));
  }
  EXPECT_LE(answers, 1);
  EXPECT_EQ(world.dropped(Drop::ended), 1000u);
  world.filter = nullptr;
  world.run(100 * millisecond);
  for (std::uint64_t i = 0; i < 2; ++i) {
    world.inject(client.port.from, packet_of(1, PacketType::keep_alive, 2 * far_ahead + i, core::Bytes(8)));
  }
  world.run(100 * millisecond);
  EXPECT_EQ(to_string(client.endpoint.reason()), "shutting down: maintenance");
}

TEST(ServerEndpoint, FinishesTheStreamOfAClosedSession) {
  EndpointWorld world;
  auto& leaves = world.add_client();
  auto& kicked = world.add_client();
  world.run(100 * millisecond);
  leaves.endpoint.close({ReasonCode::left, ""}, leaves.port);
  world.step();
  world.step();
  EXPECT_EQ(world.finished, std::vector<Address>{leaves.port.from}) << "at once";
  world.finished.clear();
  world.server.disconnect_all({ReasonCode::kicked, ""}, world.now, world.server_port);
  world.run(1900 * millisecond);
  EXPECT_TRUE(world.finished.empty());
  world.run(500 * millisecond);
  EXPECT_EQ(world.finished, std::vector<Address>{kicked.port.from}) << "after the linger time";
}

TEST(ServerEndpoint, LostStreamClosesItsSessionAtOnce) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  world.server.pipe_closed(client.port.from, world.now);
  world.server.pipe_closed(client.port.from, world.now);
  world.step();
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[1].reason.code, ReasonCode::pipe_lost);
  EXPECT_TRUE(world.server.sessions().empty());
  EXPECT_TRUE(world.finished.empty());
}

TEST(ServerEndpoint, ClosedClientReconnectsWithAnotherToken) {
  EndpointWorld world;
  world.add_client(client_address(1), make_token(1));
  world.run(100 * millisecond);
  world.server.disconnect_all({ReasonCode::kicked, ""}, world.now, world.server_port);
  world.run(100 * millisecond);
  auto& again = world.add_client(client_address(1), make_token(2));
  world.run(100 * millisecond);
  EXPECT_TRUE(again.endpoint.connected()) << "although the old session is still stored as closed";
  world.run(5 * second);
  EXPECT_TRUE(again.endpoint.connected());
  EXPECT_TRUE(world.finished.empty()) << "its stream is in use";
}

TEST(ServerEndpoint, DisconnectsOnAReliableLaneViolation) {
  EndpointWorld world;
  auto& client = world.add_client();
  auto& other = world.add_client();
  world.run(100 * millisecond);
  ASSERT_TRUE(client.endpoint.session().send_reliable(core::Bytes(64 * 1024 + 1)).ok());
  world.run(second);
  EXPECT_EQ(client.endpoint.reason().code, ReasonCode::protocol_error);
  EXPECT_EQ(world.server.sessions().size(), 1u);
  EXPECT_TRUE(other.endpoint.connected());
}

}  // namespace
}  // namespace mobula::transport

// Limits of a server endpoint: sizes and rates of what one client sends.
#include <gtest/gtest.h>

#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

// Values of docs/protocol.md and docs/guarantees.md.
TEST(ServerEndpoint, HasTheLimitsOfTheSpecification) {
  const ServerEndpointConfig config;
  EXPECT_EQ(config.datagrams_per_session.per_second, 2000u);
  EXPECT_EQ(config.datagrams_per_session.burst, 4000u);
  EXPECT_EQ(config.flood_patience, 3 * second);
  EXPECT_EQ(config.session.reliable_receive_bytes_max, 64u * 1024);
  EXPECT_FALSE(config.session.accepts_bulk);
  EXPECT_EQ(max_reliable_size, std::size_t{4} << 20);
  EXPECT_EQ(datagram_bytes_max, 1225u);
}

TEST(ServerEndpoint, RefusesClientMessagesAbove64Kib) {
  EndpointWorld world;
  auto& client = world.add_client();
  auto& other = world.add_client();
  world.run(100 * millisecond);
  ASSERT_TRUE(client.endpoint.session().send_reliable(core::Bytes(64 * 1024)).ok());
  ASSERT_TRUE(other.endpoint.session().send_reliable(core::Bytes(64 * 1024 + 1)).ok());
  world.run(2 * second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(other.endpoint.reason().code, ReasonCode::protocol_error);
}

TEST(ServerEndpoint, DropsDatagramsAbove1225Bytes) {
  EndpointWorld world;
  std::size_t longest = 0;
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    longest = std::max(longest, datagram.size());
    return true;
  };
  auto& client = world.add_client();
  world.run(100 * millisecond);
  for (std::size_t size = max_unreliable_size - 40; size <= max_unreliable_size; ++size)
    ASSERT_TRUE(client.endpoint.session().send_unreliable(core::Bytes(size)).ok());
  ASSERT_TRUE(client.endpoint.session().send_reliable(core::Bytes(60'000)).ok());
  world.run(second);
  EXPECT_LE(longest, 1225u);
  EXPECT_GT(longest, 1210u);
}

ServerEndpointConfig config_with_limit() {
  ServerEndpointConfig config = server_config();
  config.datagrams_per_session = {.per_second = 100, .burst = 200};
  return config;
}

TEST(ServerEndpoint, DropsDatagramsAboveTheRateUnopened) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  std::uint64_t sequence = far_ahead;
  const auto dropped_of_five_thousand = [&] {
    const std::uint64_t before = world.dropped(Drop::flood);
    for (int i = 0; i < 5000; ++i)
      world.inject(client.port.from, packet_of(1, PacketType::keep_alive, sequence++, core::Bytes(8)));
    return world.dropped(Drop::flood) - before;
  };
  const std::uint64_t of_a_burst = dropped_of_five_thousand();
  EXPECT_GE(of_a_burst, 1000u);
  EXPECT_LE(of_a_burst, 1010u);
  world.run(second);
  const std::uint64_t of_a_second = dropped_of_five_thousand();
  EXPECT_GE(of_a_second, 3000u);
  EXPECT_LE(of_a_second, 3010u);
  world.run(2 * second);
  EXPECT_EQ(world.server.sessions().size(), 1u) << "one burst does not close the session";
}

TEST(ServerEndpoint, ClosesAFloodingSessionWithTheReason) {
  EndpointWorld world(config_with_limit());
  auto& client = world.add_client();
  auto& other = world.add_client();
  world.run(100 * millisecond);
  std::uint64_t sequence = far_ahead;
  for (int tick = 0; tick < 450 && world.server.sessions().size() == 2; ++tick) {
    for (int i = 0; i < 20; ++i) {
      world.inject(client.port.from, packet_of(1, PacketType::keep_alive, sequence++, core::Bytes(8)));
    }
    world.step();
  }
  world.run(100 * millisecond);
  EXPECT_EQ(client.endpoint.reason().code, ReasonCode::flooding);
  EXPECT_EQ(world.events.back().reason.code, ReasonCode::flooding);
  EXPECT_EQ(client.endpoint.reason().text, "datagrams above 100 per second for 3 s: the client must send fewer");
  EXPECT_TRUE(other.endpoint.connected());
}

TEST(ServerEndpoint, ForgedPacketsDoNotChargeTheRate) {
  EndpointWorld world(config_with_limit());
  auto& client = world.add_client();
  world.run(100 * millisecond);
  for (int tick = 0; tick < 500; ++tick) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      world.inject(client.port.from, packet_of(77, PacketType::payload, far_ahead + i, core::Bytes(8)));
    }
    world.step();
  }
  EXPECT_EQ(world.dropped(Drop::flood), 0u);
  EXPECT_TRUE(client.endpoint.connected());
}

}  // namespace
}  // namespace mobula::transport

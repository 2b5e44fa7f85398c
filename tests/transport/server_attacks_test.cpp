// Attacks on a server endpoint: forged, replayed and corrupted datagrams.
#include <gtest/gtest.h>

#include <transport/allocation_count.hpp>
#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using Kind = ServerEvent::Kind;

TEST(ServerEndpoint, IgnoresPacketsWithoutTheKeys) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  for (std::uint64_t guess = 0; guess < 1000; ++guess) {
    world.inject(client.port.from, packet_of(77, PacketType::disconnect, far_ahead + guess, {}));
    world.inject(client.port.from, packet_of(77, PacketType::payload, far_ahead + guess, core::Bytes(20)));
  }
  EXPECT_EQ(world.dropped(Drop::forged), 2000u);
  world.run(second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(Kind::disconnected), 0);
}

TEST(ServerEndpoint, IgnoresTheRightKeysFromAnotherAddress) {
  EndpointWorld world;
  world.add_client(client_address(0));
  world.run(100 * millisecond);
  world.inject(client_address(9), packet_of(1, PacketType::disconnect, far_ahead, {}));
  Address other_pipe = client_address(0);
  other_pipe.pipe = Pipe::websocket;
  world.inject(other_pipe, packet_of(1, PacketType::disconnect, far_ahead, {}));
  EXPECT_EQ(world.dropped(Drop::unknown_address), 2u);
  EXPECT_EQ(world.server.sessions().size(), 1u);
}

TEST(ServerEndpoint, CountsGarbageByReason) {
  constexpr std::uint64_t seed = 2;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  const std::uint64_t before = world.server.counters().dropped.total();
  for (int round = 0; round < 20'000; ++round) {
    core::Bytes bytes(random.below(100));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random.below(10) << 4 | random.below(9));
    world.inject(random.below(2) == 0 ? client.port.from : client_address(100), bytes);
  }
  world.inject(client.port.from, core::Bytes(datagram_bytes_max + 1));
  EXPECT_EQ(world.dropped(Drop::too_long), 1u);
  for (const Drop drop : {Drop::too_short, Drop::wrong_type, Drop::wrong_sequence_bytes, Drop::unknown_address,
                          Drop::forged, Drop::wrong_size}) {
    EXPECT_GT(world.dropped(drop), 0u) << to_string(drop);
  }
  EXPECT_EQ(world.server.counters().dropped.total() - before, 20'001u);
  world.run(second);
  EXPECT_TRUE(client.endpoint.connected());
}

// All datagrams of ten clients are replayed: unchanged, truncated, corrupted, and from each other's addresses.
TEST(ServerEndpoint, RefusesAHundredThousandReplays) {
  constexpr std::uint64_t seed = 8;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EndpointWorld world(server_config(10));
  std::vector<std::pair<Address, core::Bytes>> recorded;
  world.filter = [&](const Address& from, const Address& to, core::ByteView datagram) {
    if (to == server_address) recorded.emplace_back(from, core::Bytes(datagram.begin(), datagram.end()));
    return true;
  };
  for (int i = 0; i < 10; ++i) world.add_client();
  for (int i = 0; i < 100; ++i) {
    for (const auto& client : world.clients)
      static_cast<void>(client->endpoint.session().send_unreliable(core::Bytes(40)));
    world.step();
  }
  world.deliver();
  world.filter = nullptr;
  ASSERT_GT(recorded.size(), 900u);
  const std::uint64_t accepted = world.server.counters().dropped.of(Drop::none);
  const std::uint64_t received = world.server.total_stats().datagrams_received;
  for (int round = 0; round < 100'000; ++round) {
    auto [from, bytes] = recorded[random.below(static_cast<std::uint32_t>(recorded.size()))];
    const auto size = static_cast<std::uint32_t>(bytes.size());
    switch (random.below(4)) {
      case 0: break;
      case 1: bytes.resize(random.below(size)); break;
      case 2: bytes[random.below(size)] ^= static_cast<std::byte>(1u << random.below(8)); break;
      default: from = client_address(random.below(12)); break;
    }
    world.inject(from, bytes);
  }
  EXPECT_EQ(world.server.counters().dropped.of(Drop::none), accepted);
  EXPECT_EQ(world.server.total_stats().datagrams_received, received);
  EXPECT_EQ(world.server.sessions().size(), 10u);
  world.run(second);
  EXPECT_EQ(world.count(Kind::disconnected), 0);
}

TEST(ServerEndpoint, SurvivesFlippedBitsInAllDatagrams) {
  NetworkConditions conditions = bad_network;
  conditions.loss_ppm = 50'000;
  conditions.corrupt_ppm = 300'000;
  EndpointWorld world(server_config(20), conditions, 3);
  for (int i = 0; i < 10; ++i) world.add_client();
  core::Bytes message;
  for (int i = 0; i < 500; ++i) {
    world.step();
    for (const SessionId id : world.server.sessions()) {
      static_cast<void>(world.server.find(id)->send_reliable(core::Bytes(200)));
      static_cast<void>(world.server.find(id)->send_unreliable(core::Bytes(400)));
    }
    for (const auto& client : world.clients) {
      while (client->endpoint.session().next_unreliable(message)) EXPECT_EQ(message, core::Bytes(400));
    }
  }
  for (const auto& client : world.clients) EXPECT_TRUE(client->endpoint.connected());
  EXPECT_EQ(world.server.total_stats().malformed, 0u) << "no corrupted datagram reaches a session";
  EXPECT_GT(world.dropped(Drop::forged), 100u);
}

TEST(ServerEndpoint, FailedHandshakesAllocateNothing) {
  EndpointWorld world;
  core::Bytes request(request_bytes);
  const ConnectToken token = make_token(token_request(1), test_key(1));
  write_request(token.protocol_id, {token.expire_time, token.nonce, token.private_part}, request);
  const core::Bytes forged = packet_of(1, PacketType::response, 0, core::Bytes(challenge_body_bytes));
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 500; ++i) {
    world.inject(client_address(5), request);
    world.inject(client_address(5), forged);
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace mobula::transport

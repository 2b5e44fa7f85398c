#include <gtest/gtest.h>

#include <map>
#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using Kind = ServerEvent::Kind;

const NetworkConditions bad_network{.latency = 40 * millisecond,
                                    .jitter = 40 * millisecond,
                                    .loss_permille = 250,
                                    .duplicate_permille = 250,
                                    .reorder_permille = 200};

Datagram hello_of(std::uint64_t nonce, std::uint32_t version = 1) {
  Datagram datagram;
  encode(Hello{version, nonce}, datagram);
  return datagram;
}

// Shakes hands by hand: the accepted reply's connection id.
std::optional<ConnectionId> shake_hands(ServerEndpoint& server, const Address& from, std::uint64_t nonce,
                                        core::Nanoseconds now) {
  Captured replies;
  server.receive(from, hello_of(nonce).view(), now, replies);
  Datagram proof;
  encode(Proof{{1, nonce}, decode_challenge(replies.datagrams.at(0))->cookie}, proof);
  server.receive(from, proof.view(), now, replies);
  const std::optional<Accepted> accepted = decode_accepted(replies.datagrams.at(1));
  return accepted ? std::optional(accepted->connection) : std::nullopt;
}

core::Bytes empty_payload(ConnectionId connection, std::uint16_t sequence) {
  core::Bytes bytes(envelope_bytes + 8);
  encode_envelope(connection, bytes);
  core::store(bytes.data() + envelope_bytes, sequence);
  return bytes;
}

TEST(ServerEndpoint, AHundredClientsConnectOverABadNetworkOnceEach) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    EndpointWorld world(server_config(100), bad_network, seed);
    for (int i = 0; i < 100; ++i) world.add_client();
    world.run(8 * second);
    for (const auto& client : world.clients) EXPECT_TRUE(client->endpoint.connected());
    EXPECT_EQ(world.server.sessions().size(), 100u);
    EXPECT_EQ(world.count(Kind::connected), 100);
    EXPECT_EQ(world.events.size(), 100u);
  }
}

TEST(ServerEndpoint, AFullServerRefusesWithTheReasonAndStillAnswersProbes) {
  EndpointWorld world(server_config(2));
  world.add_client();
  world.add_client();
  world.run(100 * millisecond);
  auto& third = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(third.endpoint.closed());
  EXPECT_TRUE(third.endpoint.server_answered());
  EXPECT_EQ(to_string(third.endpoint.reason()), "server full: all 2 sessions are taken");
  ASSERT_EQ(world.count(Kind::refused), 1);
  EXPECT_EQ(world.events.back().reason, third.endpoint.reason());
  EXPECT_EQ(world.events.back().address, third.port.from);
  EXPECT_EQ(world.server.counters().server_full, 1u);

  world.clients[0]->endpoint.close({ReasonCode::left, ""}, world.clients[0]->port);
  world.step();
  auto& fourth = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(fourth.endpoint.connected());
}

TEST(ServerEndpoint, SessionsThatHaveEndedTakeNobodysPlace) {
  EndpointWorld world(server_config(4));
  for (int i = 0; i < 40; ++i) {  // far more than there are slots, all within the time they linger
    auto& client = world.add_client();
    world.run(40 * millisecond);
    ASSERT_TRUE(client.endpoint.connected()) << i << ": " << to_string(client.endpoint.reason());
    client.endpoint.close({ReasonCode::left, ""}, client.port);
    world.step();
  }
  EXPECT_EQ(world.server.counters().server_full, 0u);
}

TEST(ServerEndpoint, AnotherProtocolVersionIsRefusedOnBothSides) {
  EndpointWorld world;
  auto& client = world.add_client(client_address(1), {.protocol_version = 9});
  world.run(100 * millisecond);
  EXPECT_EQ(to_string(client.endpoint.reason()),
            "other protocol version: the server speaks version 1, the client version 9");
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].kind, Kind::refused);
  EXPECT_EQ(world.events[0].reason, client.endpoint.reason());
}

TEST(ServerEndpoint, AFloodOfRefusalsMakesFewEvents) {
  EndpointWorld world;
  for (std::uint64_t i = 0; i < 10'000; ++i) world.inject(client_address(i), hello_of(i, 9).view());
  world.step();
  EXPECT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.server.counters().other_protocol, 10'000u);
}

TEST(ServerEndpoint, KeepsNothingForAddressesThatProvedNothing) {
  EndpointWorld world(server_config(2));
  for (std::uint64_t i = 0; i < 10'000; ++i) world.inject(client_address(i), hello_of(i).view());
  EXPECT_EQ(world.server.counters().challenges, 10'000u);
  EXPECT_TRUE(world.server.sessions().empty());
  auto& client = world.add_client(client_address(20'000));
  world.run(100 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
}

TEST(ServerEndpoint, RepliesAreShorterThanRequests) {
  ServerEndpoint server(server_config(1));
  Captured replies;
  const auto largest_reply = [&](const Datagram& request) {
    replies.datagrams.clear();
    server.receive(client_address(1), request.view(), 0, replies);
    std::size_t bytes = 0;
    for (const core::Bytes& reply : replies.datagrams) bytes += reply.size();
    EXPECT_EQ(replies.datagrams.size(), 1u);
    EXPECT_LT(bytes, request.size);
    return replies.datagrams.at(0);
  };
  largest_reply(hello_of(1, 4'000'000'000));
  const Cookie cookie = decode_challenge(largest_reply(hello_of(1)))->cookie;
  Datagram proof;
  encode(Proof{{1, 1}, {}}, proof);
  largest_reply(proof);
  ASSERT_TRUE(shake_hands(server, client_address(2), 5, 0).has_value());
  encode(Proof{{1, 1}, cookie}, proof);
  EXPECT_EQ(kind_of(largest_reply(proof)), DatagramKind::refused);
}

TEST(ServerEndpoint, ACookieIsWorthNothingElsewhereOrLater) {
  ServerEndpoint server(server_config());
  Captured replies;
  server.receive(client_address(1), hello_of(7).view(), 0, replies);
  Datagram proof;
  encode(Proof{{1, 7}, decode_challenge(replies.datagrams[0])->cookie}, proof);
  server.receive(client_address(2), proof.view(), 0, replies);
  server.receive(client_address(1), proof.view(), 20 * second, replies);
  EXPECT_EQ(server.counters().bad_cookie, 2u);
  EXPECT_EQ(kind_of(replies.datagrams[1]), DatagramKind::challenge);
  ASSERT_EQ(kind_of(replies.datagrams[2]), DatagramKind::challenge);
  encode(Proof{{1, 7}, decode_challenge(replies.datagrams[2])->cookie}, proof);
  server.receive(client_address(1), proof.view(), 20 * second, replies);
  EXPECT_EQ(kind_of(replies.datagrams[3]), DatagramKind::accepted);
}

TEST(ServerEndpoint, WhoDoesNotKnowTheConnectionIdCanDoNothing) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  Datagram forged;
  for (std::uint64_t guess = 0; guess < 1000; ++guess) {
    encode(Disconnect{{guess}, {ReasonCode::left, ""}}, forged);
    world.inject(client.port.from, forged.view());
    world.inject(client.port.from, empty_payload({guess}, 500));
  }
  EXPECT_EQ(world.server.counters().wrong_connection, 2000u);
  world.run(second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(Kind::disconnected), 0);
}

TEST(ServerEndpoint, TheRightConnectionIdFromAnotherAddressIsIgnored) {
  EndpointWorld world;
  const std::optional<ConnectionId> connection = shake_hands(world.server, client_address(1), 7, world.now);
  ASSERT_TRUE(connection.has_value());
  world.inject(client_address(2), empty_payload(*connection, 1));
  EXPECT_EQ(world.server.counters().unknown_address, 1u);
  EXPECT_TRUE(world.server.sessions().empty());
  world.inject(client_address(1), empty_payload(*connection, 1));
  EXPECT_EQ(world.server.sessions().size(), 1u);
}

TEST(ServerEndpoint, ADuplicateOfTheProofGivesTheSameConnection) {
  ServerEndpoint server(server_config());
  const std::optional<ConnectionId> first = shake_hands(server, client_address(1), 7, 0);
  EXPECT_EQ(shake_hands(server, client_address(1), 7, second), first);
  Captured replies;
  server.receive(client_address(1), empty_payload(*first, 1), second, replies);
  EXPECT_EQ(shake_hands(server, client_address(1), 7, 2 * second), first);
  EXPECT_EQ(server.sessions().size(), 1u);
  server.check();
}

TEST(ServerEndpoint, AProofThatIsNeverUsedIsForgottenWithoutAnEvent) {
  EndpointWorld world(server_config(1));
  ASSERT_TRUE(shake_hands(world.server, client_address(1), 7, world.now).has_value());
  EXPECT_FALSE(shake_hands(world.server, client_address(2), 8, world.now).has_value());
  world.events.clear();
  world.run(6 * second);
  EXPECT_TRUE(shake_hands(world.server, client_address(2), 9, world.now).has_value());
  EXPECT_EQ(world.count(Kind::connected) + world.count(Kind::disconnected), 0);
}

// A copy of an earlier connection's proof turns up while a later connection from the same port is alive.
TEST(ServerEndpoint, AnOldProofDoesNotEndALiveSession) {
  EndpointWorld world;
  std::vector<core::Bytes> proofs;
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    if (kind_of(datagram) == DatagramKind::proof) proofs.emplace_back(datagram.begin(), datagram.end());
    return true;
  };
  auto& old = world.add_client(client_address(1));
  world.run(100 * millisecond);
  old.endpoint.close({ReasonCode::left, ""}, old.port);
  world.run(50 * millisecond);
  world.inject(client_address(1), proofs.at(0));  // even while the closed session lingers
  world.remove_client(0);
  auto& later = world.add_client(client_address(1));
  world.run(500 * millisecond);
  ASSERT_TRUE(later.endpoint.connected());
  for (int i = 0; i < 100; ++i) {
    world.inject(client_address(1), proofs.at(0));
    world.step();
  }
  EXPECT_TRUE(later.endpoint.connected());
  EXPECT_EQ(world.server.counters().address_in_use, 101u);
  EXPECT_EQ(world.server.sessions().size(), 1u);
}

TEST(ServerEndpoint, AClientThatWasRestartedOnTheSamePortTakesOver) {
  EndpointWorld world;
  world.add_client(client_address(1));
  world.run(100 * millisecond);
  world.remove_client(0);  // it crashed
  auto& again = world.add_client(client_address(1));
  world.run(3 * second);
  EXPECT_TRUE(again.endpoint.connected());
  ASSERT_EQ(world.events.size(), 3u);
  EXPECT_EQ(world.events[1].kind, Kind::disconnected);
  EXPECT_EQ(world.events[1].reason.code, ReasonCode::replaced);
  EXPECT_EQ(world.server.find(world.events[0].session), nullptr);
  EXPECT_NE(world.server.find(world.events[2].session), nullptr);
}

TEST(ServerEndpoint, AClientThatFallsSilentTimesOut) {
  EndpointWorld world;
  world.add_client();
  world.run(second);
  world.remove_client(0);
  world.run(9500 * millisecond);
  EXPECT_EQ(world.server.sessions().size(), 1u);
  world.run(second);
  EXPECT_TRUE(world.server.sessions().empty());
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[1].reason.code, ReasonCode::timed_out);
}

TEST(ServerEndpoint, TellsAClientWhyItIsThrownOut) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  const SessionId id = world.server.sessions()[0];
  EXPECT_EQ(world.server.address(id), client.port.from);
  const Reason reason{ReasonCode::refused, "another schema"};
  EXPECT_TRUE(world.server.disconnect(id, reason, world.now, world.server_port));
  EXPECT_FALSE(world.server.disconnect(id, reason, world.now, world.server_port));
  EXPECT_EQ(world.server.find(id), nullptr);
  world.run(50 * millisecond);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_EQ(client.endpoint.reason(), reason);
  EXPECT_EQ(world.events.back().reason, reason);
}

TEST(ServerEndpoint, TellsItAgainWhenAllCopiesWereLost) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  world.filter = [](const Address&, const Address&, core::ByteView datagram) {
    return kind_of(datagram) != DatagramKind::disconnect;
  };
  world.server.disconnect_all({ReasonCode::shutting_down, "maintenance"}, world.now, world.server_port);
  world.run(50 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  world.filter = nullptr;
  world.run(500 * millisecond);
  EXPECT_EQ(to_string(client.endpoint.reason()), "shutting down: maintenance");
}

TEST(ServerEndpoint, ThrowsOutWhoBreaksTheReliableLane) {
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

TEST(ServerEndpoint, GarbageIsCountedByReasonAndHurtsNobody) {
  constexpr std::uint64_t seed = 2;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  const std::uint64_t before = world.server.counters().datagrams;
  const std::uint64_t challenges = world.server.counters().challenges;
  for (int round = 0; round < 20'000; ++round) {
    core::Bytes bytes(random.below(100));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random.below(9));
    world.inject(random.below(2) == 0 ? client.port.from : client_address(100), bytes);
  }
  world.inject(client.port.from, core::Bytes(datagram_bytes_max + 1));
  const ServerCounters& counters = world.server.counters();
  EXPECT_EQ(counters.too_long, 1u);
  EXPECT_GT(counters.unknown_kind, 0u);
  EXPECT_GT(counters.malformed, 0u);
  EXPECT_GT(counters.unknown_address, 0u);
  EXPECT_GT(counters.wrong_connection, 0u);
  EXPECT_EQ(counters.challenges, challenges);
  EXPECT_EQ(counters.too_long + counters.unknown_kind + counters.malformed + counters.unknown_address +
                counters.wrong_connection,
            counters.datagrams - before);
  world.run(second);
  EXPECT_TRUE(client.endpoint.connected());
}

TEST(ServerEndpoint, FlippedBitsInEverythingOnTheWireHurtNobodyForLong) {
  NetworkConditions conditions = bad_network;
  conditions.loss_permille = 50;
  conditions.corrupt_permille = 300;
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
      while (client->endpoint.session().next_unreliable(message)) EXPECT_LE(message.size(), max_unreliable_size);
    }
  }
  world.network.set_conditions({});
  auto& honest = world.add_client();
  world.run(second);
  EXPECT_TRUE(honest.endpoint.connected());
}

// Clients come, talk, leave and crash at random; the server's own list must follow from its events.
TEST(ServerEndpoint, EventsTellWhoIsThere) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ServerConfig config = server_config(12);
    config.timeout = 2 * second;
    EndpointWorld world(config, bad_network, seed);
    for (int step = 0; step < 6000; ++step) {
      const std::uint32_t action = random.below(150);
      std::erase_if(world.clients, [](const auto& client) { return client->endpoint.closed(); });
      if (action >= 145 && world.clients.size() < 20) world.add_client(client_address(random.below(30)));
      if (action == 1 && !world.clients.empty()) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(world.clients.size()));
        world.clients[index]->endpoint.close({ReasonCode::left, ""}, world.clients[index]->port);
        world.remove_client(index);
      }
      if (action == 2 && !world.clients.empty()) {
        world.remove_client(random.below(static_cast<std::uint32_t>(world.clients.size())));
      }
      if (action == 3 && !world.server.sessions().empty()) {
        world.server.disconnect(SessionId(world.server.sessions().front()), {ReasonCode::kicked, ""}, world.now,
                                world.server_port);
      }
      world.step();
    }
    std::map<std::uint64_t, bool> there;
    for (const ServerEvent& event : world.events) {
      if (event.kind == Kind::refused) continue;
      const std::uint64_t key = (std::uint64_t{event.session.generation} << 32) | event.session.index;
      ASSERT_EQ(there[key], event.kind == Kind::disconnected);
      there[key] = event.kind == Kind::connected;
    }
    std::size_t count = 0;
    for (const auto& [key, present] : there) {
      const SessionId id{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
      EXPECT_EQ(world.server.find(id) != nullptr, present);
      count += present ? 1 : 0;
    }
    EXPECT_EQ(world.server.sessions().size(), count);
    EXPECT_GT(world.count(Kind::connected), 20);
    EXPECT_GT(world.count(Kind::disconnected), 10);
    EXPECT_GT(world.server.total_stats().datagrams_received, 1000u);
  }
}

TEST(ServerEndpoint, SameSeedSameRun) {
  const auto run = [](std::uint64_t seed) {
    EndpointWorld world(server_config(10), bad_network, seed);
    for (int i = 0; i < 8; ++i) world.add_client();
    world.run(3 * second);
    return std::pair(world.network.counters().bytes_sent, world.server.total_stats().rtt);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace mobula::transport

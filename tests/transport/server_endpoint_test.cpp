#include <gmock/gmock.h>

#include <map>
#include <transport/allocation_count.hpp>
#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using Kind = ServerEvent::Kind;

const NetworkConditions bad_network{.latency = 40 * millisecond,
                                    .jitter = 40 * millisecond,
                                    .loss_ppm = 250'000,
                                    .duplicate_ppm = 250'000,
                                    .reorder_ppm = 200'000};

// Returns a packet sealed with the keys of the client with this id.
core::Bytes packet_of(std::uint64_t client_id, PacketType type, std::uint64_t sequence, core::ByteView body) {
  PacketBuffer buffer;
  std::copy(body.begin(), body.end(), buffer.body().begin());
  const core::ByteView packet = seal_packet(PacketDomain(mobula_protocol_id), test_secrets(client_id).client_to_server,
                                            type, sequence, buffer, body.size());
  return {packet.begin(), packet.end()};
}
constexpr std::uint64_t far_ahead = 1'000'000;  // sequences that no test reaches otherwise

TEST(ServerEndpoint, HundredClientsConnectOnceOverABadNetwork) {
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

TEST(ServerEndpoint, FullServerRefusesUntilAClientLeaves) {
  EndpointWorld world(server_config(2));
  world.add_client();
  world.add_client();
  world.run(100 * millisecond);
  auto& third = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(third.endpoint.closed());
  EXPECT_EQ(third.endpoint.reason().code, ReasonCode::server_full);
  ASSERT_EQ(world.count(Kind::refused), 1);
  EXPECT_EQ(to_string(world.events.back().reason), "server full: all 2 sessions are taken");
  EXPECT_EQ(world.events.back().address, third.port.from);
  EXPECT_EQ(world.dropped(Drop::server_full), 1u);

  world.clients[0]->endpoint.close({ReasonCode::left, ""}, world.clients[0]->port);
  world.step();
  auto& fourth = world.add_client();
  world.run(100 * millisecond);
  EXPECT_TRUE(fourth.endpoint.connected());
}

TEST(ServerEndpoint, ClosedSessionsUseNoSlots) {
  EndpointWorld world(server_config(4));
  for (int i = 0; i < 40; ++i) {  // all within `linger`
    auto& client = world.add_client();
    world.run(40 * millisecond);
    ASSERT_TRUE(client.endpoint.connected()) << i << ": " << to_string(client.endpoint.reason());
    world.server.disconnect_all({ReasonCode::kicked, ""}, world.now, world.server_port);
    world.step();
  }
  EXPECT_EQ(world.dropped(Drop::server_full), 0u);
}

TEST(ServerEndpoint, DenialsAreLimitedToFewEvents) {
  EndpointWorld world(server_config(1));
  world.add_client();
  world.run(100 * millisecond);
  world.events.clear();
  for (std::uint64_t id = 100; id < 1100; ++id) {
    core::Bytes request(request_bytes);
    const ConnectToken token = make_token(id);
    write_request(token.protocol_id, {token.expire_time, token.nonce, token.private_part}, request);
    world.inject(client_address(id), request);
  }
  world.step();
  EXPECT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.dropped(Drop::server_full), 1000u);
}

// --- A session's packets -------------------------------------------------------------------------------------------

TEST(ServerEndpoint, SendsKeepAlivesBeforePayloadsUntilConfirmed) {
  EndpointWorld world;
  std::vector<PacketType> sent;
  world.filter = [&](const Address& from, const Address&, core::ByteView datagram) {
    if (from == server_address) sent.push_back(type_of(datagram));
    return from == server_address || type_of(datagram) < PacketType::keep_alive;  // the client never confirms
  };
  auto& client = world.add_client();
  world.run(50 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), 1u);
  sent.clear();
  ASSERT_TRUE(world.server.find(world.server.sessions()[0])->send_reliable(core::Bytes(3000)).ok());
  world.step();
  ASSERT_EQ(sent.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(sent[i], i % 2 == 0 ? PacketType::keep_alive : PacketType::payload);

  world.filter = [&](const Address& from, const Address&, core::ByteView datagram) {
    if (from == server_address) sent.push_back(type_of(datagram));
    return true;
  };
  world.run(100 * millisecond);
  sent.clear();
  world.run(300 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(std::count(sent.begin(), sent.end(), PacketType::keep_alive), 0)
      << "payloads suffice after the confirmation";
}

TEST(ServerEndpoint, BothSidesKeepAnIdleSessionAlive) {
  ServerEndpointConfig config = server_config();
  config.session.keepalive_interval = 1000 * second;
  EndpointWorld world(config);
  ClientEndpointConfig quiet;
  quiet.session = config.session;
  auto& client = world.add_client(client_address(1), make_token(1), quiet);
  int keep_alives = 0;
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    keep_alives += type_of(datagram) == PacketType::keep_alive ? 1 : 0;
    return true;
  };
  world.run(30 * second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(Kind::disconnected), 0);
  EXPECT_NEAR(keep_alives, 120, 10);
}

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

TEST(ServerEndpoint, WritesNothingForAFullPipe) {
  EndpointWorld world;
  auto& slow = world.add_client();
  auto& other = world.add_client();
  world.run(100 * millisecond);
  std::map<std::string, int> sent;
  world.filter = [&](const Address&, const Address& to, core::ByteView) { return ++sent[to_string(to)] > 0; };
  world.full = &slow.port.from;
  for (const SessionId id : world.server.sessions()) {
    ASSERT_TRUE(world.server.find(id)->send_reliable(core::Bytes(100)).ok());
  }
  world.run(100 * millisecond);
  EXPECT_EQ(sent[to_string(slow.port.from)], 0);
  EXPECT_GT(sent[to_string(other.port.from)], 0);
  world.full = nullptr;
  world.run(100 * millisecond);
  core::Bytes message;
  EXPECT_TRUE(slow.endpoint.session().next_reliable(message));
}

// Clients to which one update sends something, each once, in order.
std::vector<Address> flushed_in(EndpointWorld& world) {
  Captured captured;
  world.server.update(world.now, captured);
  std::vector<Address> order;
  for (std::size_t i = 0; i < captured.datagrams.size(); ++i) {
    if (order.empty() || !(order.back() == captured.addresses[i])) order.push_back(captured.addresses[i]);
    world.network.send(server_address, captured.addresses[i], captured.datagrams[i], world.now);
  }
  return order;
}

// A tick in which each session has something to send.
std::vector<Address> busy_tick(EndpointWorld& world) {
  world.deliver();
  for (const SessionId id : world.server.sessions()) {
    EXPECT_TRUE(world.server.find(id)->send_reliable(core::Bytes(20)).ok());
  }
  std::vector<Address> order = flushed_in(world);
  for (const auto& client : world.clients) client->endpoint.update(world.now, client->port);
  world.now += 10 * millisecond;
  return order;
}

TEST(ServerEndpoint, FlushOrderRotatesEvenly) {
  constexpr std::size_t count = 7;
  EndpointWorld world;
  for (std::size_t i = 0; i < count; ++i) world.add_client();
  world.run(200 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), count);
  std::map<std::string, std::array<int, count>> times;  // by position
  for (std::size_t tick = 0; tick < 20 * count; ++tick) {
    const std::vector<Address> order = busy_tick(world);
    ASSERT_EQ(order.size(), count);
    for (std::size_t place = 0; place < count; ++place) ++times[to_string(order[place])][place];
  }
  ASSERT_EQ(times.size(), count);
  for (const auto& [address, of] : times) EXPECT_THAT(of, testing::Each(20)) << address;
}

TEST(ServerEndpoint, FlushesEachSessionOnceWhileOthersEnd) {
  constexpr std::uint32_t count = 40;  // every second one becomes silent
  core::Random random(5);
  EndpointWorld world(server_config(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    TokenRequest request = token_request(i + 1);
    request.timeout_seconds = i % 2 == 0 ? 1 : 10;
    world.add_client(client_address(i), make_token(request));
  }
  world.run(200 * millisecond);
  ASSERT_EQ(world.server.sessions().size(), count);
  std::array<bool, count> silent{};
  world.filter = [&](const Address& from, const Address&, core::ByteView) {
    return from == server_address || !silent[from.ip[15]];
  };
  for (int tick = 0; world.server.sessions().size() > count / 2; ++tick) {
    ASSERT_LT(tick, 10'000);
    if (tick % 20 == 0) {
      for (std::uint32_t some = random.below(5); some > 0; --some) silent[random.below(count / 2) * 2] = true;
    }
    const std::vector<Address> order = busy_tick(world);
    world.server.check();
    for (const SessionId id : world.server.sessions()) {
      ASSERT_EQ(std::count(order.begin(), order.end(), world.server.address(id)), 1);
    }
  }
}

// --- Floods --------------------------------------------------------------------------------------------------------

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

// --- Closing -------------------------------------------------------------------------------------------------------

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
  ASSERT_EQ(sent.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(sent[i], i < 4 ? PacketType::payload : PacketType::disconnect);
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
  EXPECT_LE(answers, 2) << "one reason, one disconnect";
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

// --- Attacks -------------------------------------------------------------------------------------------------------

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

// --- Combined ------------------------------------------------------------------------------------------------------

// Clients connect, send, leave and crash at random. The server's sessions must follow from its events.
TEST(ServerEndpoint, EventsMatchTheConnectedSessions) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    EndpointWorld world(server_config(12), bad_network, seed);
    const auto add = [&] {
      TokenRequest request = token_request(++world.client_ids);
      request.timeout_seconds = 2;
      request.expire_seconds = 1000;
      world.add_client(client_address(random.below(30)), make_token(request));
    };
    for (int step = 0; step < 6000; ++step) {
      const std::uint32_t action = random.below(150);
      std::erase_if(world.clients, [](const auto& client) { return client->endpoint.closed(); });
      if (action >= 145 && world.clients.size() < 20) add();
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
      if (action == 4 && !world.clients.empty()) {
        world.server.pipe_closed(world.clients.front()->port.from, world.now);
      }
      world.step();
    }
    std::map<std::uint64_t, bool> there;
    for (const ServerEvent& event : world.events) {
      if (event.kind == Kind::refused) continue;
      const std::uint64_t key = (std::uint64_t{event.session.generation} << 32) | event.session.index;
      ASSERT_FALSE(event.kind == Kind::connected && there.contains(key)) << "a session id is never reused";
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

TEST(ServerEndpoint, SameSeedGivesTheSameRun) {
  const auto run = [](std::uint64_t seed) {
    EndpointWorld world(server_config(10), bad_network, seed);
    for (int i = 0; i < 8; ++i) world.add_client();
    world.run(3 * second);
    return std::pair(world.network.counters().bytes_sent, world.server.total_stats().rtt);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
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

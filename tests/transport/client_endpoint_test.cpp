#include <gtest/gtest.h>

#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;
using State = ClientEndpoint::State;

const Address second_server = Address::v4(10, 0, 0, 2, 7777);

// A client without a server, and packets that a server with its token's keys would send.
struct Alone {
  explicit Alone(TokenRequest request = token_request(1), ClientEndpointConfig config = {}) {
    config.token = make_token(request);
    client = std::make_unique<ClientEndpoint>(config, 0);
  }
  void send(PacketType type, core::ByteView body, core::Nanoseconds now = 0, const Address& from = server_address) {
    PacketBuffer buffer;
    std::copy(body.begin(), body.end(), buffer.body().begin());
    client->receive(from,
                    seal_packet(PacketDomain(mobula_protocol_id), test_secrets(1).server_to_client, type, sequence++,
                                buffer, body.size()),
                    now);
  }
  void challenge(core::Nanoseconds now = 0) { send(PacketType::challenge, core::Bytes(challenge_body_bytes), now); }
  void keep_alive(core::Nanoseconds now = 0) { send(PacketType::keep_alive, core::Bytes(8), now); }
  void connect() {
    challenge();
    keep_alive();
  }
  // Types of the packets that an update sends.
  std::vector<PacketType> update(core::Nanoseconds now) {
    Captured sent;
    client->update(now, sent);
    std::vector<PacketType> types;
    for (const core::Bytes& datagram : sent.datagrams) types.push_back(type_of(datagram));
    if (!sent.addresses.empty()) last_to = sent.addresses.back();
    return types;
  }

  std::unique_ptr<ClientEndpoint> client;
  std::uint64_t sequence = 0;
  Address last_to;
};

using Types = std::vector<PacketType>;

// Datagrams that waited in the socket meanwhile do not keep it alive: the server has ended the session.
TEST(ClientEndpoint, AClientStoppedForTheTimeoutIsLost) {
  for (const bool receives_first : {true, false}) {
    Alone alone;
    alone.connect();
    alone.update(9 * second);
    alone.keep_alive(18 * second);
    EXPECT_TRUE(alone.client->connected()) << "a shorter pause is no loss";
    if (receives_first) alone.keep_alive(28 * second);
    alone.update(28 * second);
    EXPECT_EQ(alone.client->reason().code, ReasonCode::timed_out);
    EXPECT_EQ(alone.client->reason().text, "this client was stopped for 10 s");
  }
}

TEST(ClientEndpoint, ConnectsAndExchangesMessages) {
  EndpointWorld world;
  auto& client = world.add_client();
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  world.run(100 * millisecond);
  ASSERT_TRUE(client.endpoint.connected());
  ASSERT_EQ(world.server.sessions().size(), 1u);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].kind, ServerEvent::Kind::connected);
  EXPECT_EQ(world.events[0].address, client.port.from);
  EXPECT_EQ(client.endpoint.client_index(), world.server.sessions()[0].index);
  EXPECT_EQ(client.endpoint.clients_max(), 8u);

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

TEST(ClientEndpoint, ConnectsIfEachPacketTypeIsLostOnce) {
  EndpointWorld world;
  std::array<int, static_cast<std::size_t>(PacketType::count)> seen{};
  world.filter = [&](const Address&, const Address&, core::ByteView datagram) {
    return ++seen[static_cast<std::size_t>(type_of(datagram))] != 1;
  };
  auto& client = world.add_client();
  world.run(2 * second);
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(world.count(ServerEvent::Kind::connected), 1);
}

// --- The state machine ---------------------------------------------------------------------------------------------

TEST(ClientEndpoint, RefusesAnInconsistentToken) {
  ClientEndpointConfig config;
  config.token = make_token(1);
  config.token.servers.clear();
  EXPECT_EQ(ClientEndpoint(config, 0).reason().code, ReasonCode::invalid_token);
  config.token.servers.resize(33);
  EXPECT_EQ(ClientEndpoint(config, 0).reason().code, ReasonCode::invalid_token);
  config.token = make_token(1);
  config.token.create_time = config.token.expire_time + 1;
  EXPECT_EQ(ClientEndpoint(config, 0).reason().code, ReasonCode::invalid_token);
  config.token.create_time = config.token.expire_time;
  EXPECT_FALSE(ClientEndpoint(config, 0).closed());
}

TEST(ClientEndpoint, SendsTenRequestsASecondUntilChallenged) {
  Alone alone;
  EXPECT_EQ(alone.update(0), Types{PacketType::request});
  EXPECT_EQ(alone.update(50 * millisecond), Types{});
  EXPECT_EQ(alone.update(100 * millisecond), Types{PacketType::request});
  alone.challenge(110 * millisecond);
  EXPECT_EQ(alone.update(110 * millisecond), Types{PacketType::response});
  EXPECT_EQ(alone.update(150 * millisecond), Types{});
  EXPECT_EQ(alone.update(210 * millisecond), Types{PacketType::response});
  EXPECT_EQ(alone.client->state(), State::connecting);
  alone.keep_alive(220 * millisecond);
  EXPECT_TRUE(alone.client->connected());
}

TEST(ClientEndpoint, IgnoresPacketsOfOtherSteps) {
  Alone alone;
  alone.keep_alive();
  alone.send(PacketType::payload, core::Bytes(20));
  alone.send(PacketType::disconnect, {});
  EXPECT_EQ(alone.client->dropped().of(Drop::wrong_state), 3u);
  alone.challenge();
  alone.challenge();
  alone.send(PacketType::payload, core::Bytes(20));
  alone.send(PacketType::disconnect, {});
  EXPECT_EQ(alone.client->dropped().of(Drop::wrong_state), 6u);
  EXPECT_EQ(alone.client->state(), State::connecting);
  alone.keep_alive();
  EXPECT_TRUE(alone.client->connected());
  alone.challenge();
  alone.send(PacketType::denied, {});
  EXPECT_EQ(alone.client->dropped().of(Drop::wrong_state), 8u);
  EXPECT_TRUE(alone.client->connected());
}

TEST(ClientEndpoint, IgnoresRequestsAndResponses) {
  Alone alone;
  alone.send(PacketType::response, core::Bytes(challenge_body_bytes));
  alone.send(PacketType::request, core::Bytes(30));
  EXPECT_EQ(alone.client->dropped().of(Drop::wrong_type), 2u);
  EXPECT_FALSE(alone.client->server_answered());
}

TEST(ClientEndpoint, ClosesWithoutAnAnswer) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.filter = [](const Address&, const Address& to, core::ByteView) { return to != server_address; };
  world.run(9900 * millisecond);
  EXPECT_EQ(client.endpoint.state(), State::connecting);
  world.run(300 * millisecond);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_FALSE(client.endpoint.server_answered());
  EXPECT_EQ(to_string(client.endpoint.reason()), "no answer: 10.0.0.1:7777");
}

TEST(ClientEndpoint, ClosesIfTheHandshakeIsNotCompleted) {
  Alone alone;
  alone.challenge(second);
  alone.update(11 * second - 1);
  EXPECT_FALSE(alone.client->closed());
  alone.update(11 * second);
  EXPECT_EQ(alone.client->reason().code, ReasonCode::handshake_timed_out);
}

TEST(ClientEndpoint, DenialClosesWithServerFull) {
  for (const bool challenged : {false, true}) {
    Alone alone;
    if (challenged) alone.challenge();
    alone.send(PacketType::denied, {});
    EXPECT_TRUE(alone.client->closed());
    EXPECT_TRUE(alone.client->server_answered());
    EXPECT_EQ(to_string(alone.client->reason()), "server full: 10.0.0.1:7777 is full");
  }
}

TEST(ClientEndpoint, ClosesIfTheTokenExpiresDuringTheHandshake) {
  TokenRequest request = token_request(1);
  request.expire_seconds = 5;
  request.timeout_seconds = -1;
  Alone alone(request);
  EXPECT_EQ(alone.update(5 * second - 1), Types{PacketType::request});
  EXPECT_EQ(alone.update(5 * second), Types{});
  EXPECT_EQ(alone.client->reason().code, ReasonCode::token_expired);

  Alone connected(request);
  connected.connect();
  connected.update(500 * second);
  EXPECT_TRUE(connected.client->connected()) << "a session outlives its token";
}

TEST(ClientEndpoint, NeverTimesOutWithoutATokenTimeout) {
  TokenRequest request = token_request(1);
  request.timeout_seconds = -1;
  request.expire_seconds = 4'000'000'000;
  Alone alone(request);
  alone.update(1'000'000 * second);
  EXPECT_EQ(alone.client->state(), State::connecting);
  alone.connect();
  alone.update(2'000'000 * second);
  EXPECT_TRUE(alone.client->connected());
}

TEST(ClientEndpoint, TriesTheServersInOrder) {
  TokenRequest request = token_request(1);
  request.servers = {server_address, second_server, Address::v4(10, 0, 0, 3, 1)};
  Alone alone(request);
  alone.update(0);
  EXPECT_EQ(alone.last_to, server_address);
  EXPECT_EQ(alone.update(10 * second), Types{PacketType::request}) << "no answer: the next server is tried";
  EXPECT_EQ(alone.last_to, second_server);
  EXPECT_EQ(alone.client->server(), second_server);
  alone.challenge(11 * second);
  EXPECT_EQ(alone.client->dropped().of(Drop::unknown_address), 1u) << "the first server answers too late";
  alone.send(PacketType::denied, {}, 11 * second, second_server);
  alone.update(11 * second);
  EXPECT_EQ(alone.last_to, request.servers[2]);
  alone.update(21 * second);
  EXPECT_EQ(to_string(alone.client->reason()), "no answer: 10.0.0.3:1");
}

TEST(ClientEndpoint, NeverReusesASequenceAtTheNextServer) {
  TokenRequest request = token_request(1);
  request.servers = {server_address, second_server};
  Alone alone(request);
  alone.challenge();
  Captured sent;
  alone.client->update(0, sent);
  alone.send(PacketType::denied, {});
  alone.send(PacketType::challenge, core::Bytes(challenge_body_bytes), 0, second_server);
  alone.client->update(second, sent);
  ASSERT_EQ(sent.datagrams.size(), 2u);
  EXPECT_EQ(sent.addresses[1], second_server);
  EXPECT_NE(sent.datagrams[0][1], sent.datagrams[1][1]) << "the keys are the same";
}

TEST(ClientEndpoint, ConfiguredServersReplaceThoseOfTheToken) {
  ClientEndpointConfig config;
  config.servers = {server_address};
  config.servers[0].pipe = Pipe::tcp;
  Alone alone(token_request(1), config);
  alone.update(0);
  EXPECT_EQ(alone.last_to, config.servers[0]);
  alone.send(PacketType::challenge, core::Bytes(challenge_body_bytes), 0, config.servers[0]);
  EXPECT_EQ(alone.update(0), Types{PacketType::response});
}

TEST(ClientEndpoint, SendsKeepAlivesAndTimesOutWhenConnected) {
  TokenRequest request = token_request(1);
  request.timeout_seconds = 2;
  Alone alone(request);
  alone.connect();
  int packets = 0;
  for (core::Nanoseconds now = 0; now < 1990 * millisecond; now += 10 * millisecond) {
    packets += static_cast<int>(alone.update(now).size());
  }
  EXPECT_GE(packets, 4);
  EXPECT_TRUE(alone.client->connected());
  alone.keep_alive(1900 * millisecond);
  alone.update(3800 * millisecond);
  EXPECT_TRUE(alone.client->connected());
  alone.update(3900 * millisecond);
  EXPECT_EQ(alone.client->reason().code, ReasonCode::timed_out);
  EXPECT_TRUE(alone.client->reason().text.starts_with("no packet from the server for 2 s"))
      << alone.client->reason().text;
}

TEST(ClientEndpoint, DisconnectPacketClosesAtOnce) {
  Alone alone;
  alone.connect();
  alone.send(PacketType::disconnect, {});
  EXPECT_TRUE(alone.client->closed());
  EXPECT_EQ(alone.client->reason().code, ReasonCode::left);
  alone.keep_alive();
  EXPECT_TRUE(alone.client->closed());
  EXPECT_EQ(alone.client->dropped().of(Drop::ended), 1u);
}

TEST(ClientEndpoint, DisconnectReasonClosesWithThatReason) {
  Alone alone;
  alone.connect();
  PacketBuffer buffer;
  const Reason reason{ReasonCode::kicked, "be nice"};
  alone.send(PacketType::payload, buffer.body().first(Session::write_disconnect(reason, buffer.body())));
  EXPECT_EQ(alone.client->reason(), reason);
}

TEST(ClientEndpoint, LostStreamClosesOrTriesTheNextServer) {
  TokenRequest request = token_request(1);
  request.servers = {server_address, second_server};
  Alone alone(request);
  alone.client->pipe_closed("cut", 0);
  EXPECT_EQ(alone.client->server(), second_server);
  alone.client->pipe_closed("cut", 0);
  EXPECT_EQ(alone.client->reason().code, ReasonCode::pipe_lost);

  Alone connected(request);
  connected.connect();
  connected.client->pipe_closed("cut", 0);
  EXPECT_EQ(to_string(connected.client->reason()), "pipe lost: 10.0.0.1:7777: cut");
}

TEST(ClientEndpoint, WritesNothingForAFullPipe) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  world.full = &server_address;
  const std::uint64_t before = client.endpoint.session().stats().datagrams_sent;
  ASSERT_TRUE(client.endpoint.session().send_unreliable(core::Bytes(5)).ok());
  world.run(second);
  EXPECT_EQ(client.endpoint.session().stats().datagrams_sent, before);
  world.full = nullptr;
  world.run(50 * millisecond);
  EXPECT_GT(client.endpoint.session().stats().datagrams_sent, before);
}

// --- Foreign packets -----------------------------------------------------------------------------------------------

TEST(ClientEndpoint, IgnoresOtherAddresses) {
  Alone alone;
  alone.send(PacketType::denied, {}, 0, Address::v4(6, 6, 6, 6, 7777));
  Address other_pipe = server_address;
  other_pipe.pipe = Pipe::tcp;
  alone.send(PacketType::denied, {}, 0, other_pipe);
  EXPECT_EQ(alone.client->state(), State::connecting);
  EXPECT_EQ(alone.client->dropped().of(Drop::unknown_address), 2u);
}

TEST(ClientEndpoint, CannotBeDisconnectedWithoutItsKeys) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(100 * millisecond);
  PacketBuffer buffer;
  for (std::uint64_t sequence = 100; sequence < 200; ++sequence) {
    client.endpoint.receive(
        server_address,
        seal_packet(PacketDomain(mobula_protocol_id), test_key(9), PacketType::disconnect, sequence, buffer, 0),
        world.now);
  }
  EXPECT_TRUE(client.endpoint.connected());
  EXPECT_EQ(client.endpoint.dropped().of(Drop::forged), 100u);
}

TEST(ClientEndpoint, RandomBytesFromTheServersAddressBreakNothing) {
  constexpr std::uint64_t seed = 4;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EndpointWorld world;
  Alone connecting;
  auto& connected = world.add_client();
  world.run(100 * millisecond);
  const std::uint64_t before = connected.endpoint.ignored();
  for (int round = 0; round < 20'000; ++round) {
    core::Bytes bytes(random.below(80));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random.below(9) << 4 | random.below(8));
    connecting.client->receive(server_address, bytes, world.now);
    connected.endpoint.receive(server_address, bytes, world.now);
  }
  connected.endpoint.receive(server_address, core::Bytes(datagram_bytes_max + 1), world.now);
  EXPECT_EQ(connecting.client->ignored(), 20'000u);
  EXPECT_EQ(connected.endpoint.ignored() - before, 20'001u);
  EXPECT_EQ(connected.endpoint.dropped().of(Drop::too_long), 1u);
  EXPECT_TRUE(connected.endpoint.connected());
}

TEST(ClientEndpoint, SendsItsReasonOnClose) {
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

TEST(ClientEndpoint, SendsFourReasonsOnClose) {
  Alone alone;
  alone.connect();
  Captured sent;
  alone.client->close({ReasonCode::left, ""}, sent);
  ASSERT_EQ(sent.datagrams.size(), 4u);
  for (const core::Bytes& datagram : sent.datagrams) EXPECT_EQ(type_of(datagram), PacketType::payload);
  Alone asking;
  Captured nothing;
  asking.client->close({ReasonCode::left, ""}, nothing);
  EXPECT_TRUE(nothing.datagrams.empty()) << "no server knows of it";
}

TEST(ClientEndpoint, TimesOutAfterTheServerStops) {
  EndpointWorld world;
  auto& client = world.add_client();
  world.run(second);
  world.filter = [](const Address& from, const Address&, core::ByteView) { return from != server_address; };
  world.run(9200 * millisecond);
  EXPECT_TRUE(client.endpoint.connected());
  world.run(second);
  EXPECT_TRUE(client.endpoint.closed());
  EXPECT_EQ(client.endpoint.reason().code, ReasonCode::timed_out);
}

TEST(ClientEndpoint, ProbeOpensNoSession) {
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

// "Processing Connection Requests" and "Processing Connection Response Packets" of the standard, step by step, and
// their limits.
#include <gtest/gtest.h>

#include <transport/endpoint_world.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

core::Bytes request_of(const ConnectToken& token) {
  core::Bytes bytes(request_bytes);
  write_request(token.protocol_id, {token.expire_time, token.nonce, token.private_part}, bytes);
  return bytes;
}

// A server and hand-made clients. The keys of a client follow from its client id (test_secrets).
struct RequestQueue {
  explicit RequestQueue(const ServerEndpointConfig& config = server_config()) : server(config) {
    server.set_unix_time(start_time);
  }

  Drop send(const Address& from, core::ByteView datagram) {
    replies.datagrams.clear();
    const DropCounters before = server.counters().dropped;
    server.receive(from, datagram, now, replies);
    server.check();
    for (std::size_t i = 0; i < before.counts.size(); ++i) {
      if (server.counters().dropped.counts[i] != before.counts[i]) return static_cast<Drop>(i);
    }
    return Drop::count;
  }
  Drop request(const Address& from, std::uint64_t client_id) { return send(from, request_of(make_token(client_id))); }
  Drop request(const Address& from, const TokenRequest& request) { return send(from, request_of(make_token(request))); }

  core::Bytes packet(std::uint64_t client_id, PacketType type, core::ByteView body) {
    PacketBuffer buffer;
    std::copy(body.begin(), body.end(), buffer.body().begin());
    const core::ByteView sealed =
        seal_packet(PacketDomain(mobula_protocol_id), test_secrets(client_id).client_to_server, type, sequence++,
                    buffer, body.size());
    return {sealed.begin(), sealed.end()};
  }
  // Returns the only reply, decrypted.
  core::Bytes opened(std::uint64_t client_id, PacketHead& head) {
    EXPECT_EQ(replies.datagrams.size(), 1u);
    std::array<std::byte, datagram_bytes_max> room;
    core::ByteView body;
    ReplayWindow replay;
    const core::Bytes& reply = replies.datagrams.at(0);
    EXPECT_EQ(read_head(reply, ~PacketTypes{0}, head), Drop::none);
    EXPECT_EQ(open_body(PacketDomain(mobula_protocol_id), test_secrets(client_id).server_to_client, head, reply, replay,
                        room, body),
              Drop::none);
    return {body.begin(), body.end()};
  }
  // Returns the challenge sent for a request.
  core::Bytes challenge(const Address& from, std::uint64_t client_id) {
    EXPECT_EQ(request(from, client_id), Drop::none);
    PacketHead head;
    return opened(client_id, head);
  }
  Drop respond(const Address& from, std::uint64_t client_id, core::ByteView challenge) {
    return send(from, packet(client_id, PacketType::response, challenge));
  }
  void connect(const Address& from, std::uint64_t client_id) {
    EXPECT_EQ(respond(from, client_id, challenge(from, client_id)), Drop::none);
  }
  void update(core::Nanoseconds at) {
    now = at;
    replies.datagrams.clear();
    for (int i = 0; i < 20; ++i) server.update(now, replies);
  }

  ServerEndpoint server;
  Captured replies;
  core::Nanoseconds now = 0;
  std::uint64_t sequence = 0;
};

const Address a = client_address(1);
const Address b = client_address(2);
const Address c = client_address(3);

// --- Requests ------------------------------------------------------------------------------------------------------

TEST(ServerHandshake, ChallengesARequestWithAValidToken) {
  RequestQueue desk;
  EXPECT_EQ(desk.request(a, 7), Drop::none);
  EXPECT_EQ(desk.replies.addresses.back(), a);
  PacketHead head;
  const core::Bytes body = desk.opened(7, head);
  EXPECT_EQ(head.type, PacketType::challenge);
  EXPECT_EQ(head.sequence, std::uint64_t{1} << 63) << "IMPLEMENTERS 3: never among a session's sequences";
  ASSERT_EQ(body.size(), challenge_body_bytes);
  EXPECT_EQ(core::load<std::uint64_t>(body.data()), 0u) << "the challenge sequence starts at zero";
  ChallengeToken token;
  ASSERT_TRUE(open_challenge(core::ByteView(body).subspan(8), 0, server_config().challenge_key, token));
  EXPECT_EQ(token.client_id, 7u);
  EXPECT_EQ(token.user_data, token_request(7).user_data);
  EXPECT_TRUE(desk.server.sessions().empty());

  EXPECT_EQ(desk.request(a, 7), Drop::none) << "a repeated request is answered again";
  EXPECT_EQ(core::load<std::uint64_t>(desk.opened(7, head).data()), 1u);
  EXPECT_EQ(head.sequence, (std::uint64_t{1} << 63) + 1);
  EXPECT_EQ(desk.server.counters().challenges, 2u);
}

TEST(ServerHandshake, Step1IgnoresSizesOtherThan1078Bytes) {
  RequestQueue desk;
  core::Bytes request = request_of(make_token(1));
  request.pop_back();
  EXPECT_EQ(desk.send(a, request), Drop::wrong_size);
  request.resize(1079);
  EXPECT_EQ(desk.send(a, request), Drop::wrong_size);
  EXPECT_EQ(desk.send(a, core::Bytes(1)), Drop::wrong_size);
  EXPECT_TRUE(desk.replies.datagrams.empty());
}

TEST(ServerHandshake, Steps2To4IgnoreOtherVersionsAndExpiredTokens) {
  RequestQueue desk;
  core::Bytes request = request_of(make_token(1));
  request[12] = std::byte{'1'};
  EXPECT_EQ(desk.send(a, request), Drop::wrong_version);
  TokenRequest other = token_request(1);
  other.protocol_id = 5;
  EXPECT_EQ(desk.request(a, other), Drop::wrong_protocol);
  desk.server.set_unix_time(start_time + 60);
  EXPECT_EQ(desk.request(a, 1), Drop::token_expired);
  desk.server.set_unix_time(start_time + 59);
  EXPECT_EQ(desk.request(a, 1), Drop::none);
}

TEST(ServerHandshake, Step5IgnoresForgedTokens) {
  RequestQueue desk;
  EXPECT_EQ(desk.send(a, request_of(make_token(token_request(1), test_key(1)))), Drop::token_forged);
  core::Bytes request = request_of(make_token(1));
  request[22] ^= std::byte{0x80};  // expiry time
  EXPECT_EQ(desk.send(a, request), Drop::token_forged);
  EXPECT_TRUE(desk.replies.datagrams.empty());
}

TEST(ServerHandshake, Step7IgnoresTokensOfOtherServers) {
  ServerEndpointConfig config = server_config();
  const Address v6{{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 7777};
  config.public_addresses = {server_address, v6};
  RequestQueue desk(config);
  TokenRequest request = token_request(1);
  request.servers = {Address::v4(10, 0, 0, 1, 7778), Address::v4(10, 0, 0, 2, 7777)};
  EXPECT_EQ(desk.request(a, request), Drop::other_server);
  request.servers.push_back(v6);
  EXPECT_EQ(desk.request(a, request), Drop::none);
}

TEST(ServerHandshake, Step8IgnoresAnAddressWithASession) {
  RequestQueue desk;
  desk.connect(a, 1);
  EXPECT_EQ(desk.request(a, 2), Drop::address_in_use);
  EXPECT_TRUE(desk.replies.datagrams.empty());
}

TEST(ServerHandshake, Step9IgnoresAClientIdWithASession) {
  RequestQueue desk;
  desk.connect(a, 1);
  EXPECT_EQ(desk.request(b, 1), Drop::client_in_use);
  EXPECT_TRUE(desk.replies.datagrams.empty());
}

TEST(ServerHandshake, Step10BindsATokenToItsFirstAddress) {
  RequestQueue desk;
  EXPECT_EQ(desk.request(a, 1), Drop::none);
  EXPECT_EQ(desk.request(b, 1), Drop::token_used);
  EXPECT_EQ(desk.request(a, 1), Drop::none);
  Address other_pipe = a;
  other_pipe.pipe = Pipe::tcp;
  EXPECT_EQ(desk.request(other_pipe, 1), Drop::token_used);
}

TEST(ServerHandshake, KeepsUsedTokensWhenTheClockIsChanged) {
  RequestQueue desk;
  EXPECT_EQ(desk.request(a, 1), Drop::none);
  desk.server.set_unix_time(start_time + 1'000'000);
  desk.update(0);
  desk.server.set_unix_time(start_time);
  EXPECT_EQ(desk.request(b, 1), Drop::token_used);
}

TEST(ServerHandshake, TokenOpensOnlyOneSession) {
  RequestQueue desk;
  desk.connect(a, 1);
  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::disconnect, {})), Drop::none);
  EXPECT_TRUE(desk.server.sessions().empty());
  EXPECT_EQ(desk.request(a, 1), Drop::token_used) << "its keys and sequences have been used";
}

TEST(ServerHandshake, Step12DeniesWhenFull) {
  RequestQueue desk(server_config(1));
  desk.connect(a, 1);
  EXPECT_EQ(desk.request(b, 2), Drop::server_full);
  PacketHead head;
  EXPECT_TRUE(desk.opened(2, head).empty());
  EXPECT_EQ(head.type, PacketType::denied);
  EXPECT_GE(head.sequence, std::uint64_t{1} << 63);
  EXPECT_EQ(desk.replies.ended.count(b), 1u);
  ServerEvent event;
  ASSERT_TRUE(desk.server.poll_event(event));
  ASSERT_TRUE(desk.server.poll_event(event));
  EXPECT_EQ(event.kind, ServerEvent::Kind::refused);
  EXPECT_EQ(to_string(event.reason), "server full: all 1 sessions are taken");

  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::disconnect, {})), Drop::none);
  EXPECT_EQ(desk.request(b, 2), Drop::none) << "the denied token is still good";
}

TEST(ServerHandshake, Step13KeepsTheKeysOfAPendingHandshake) {
  RequestQueue desk;
  const core::Bytes challenge = desk.challenge(a, 1);
  EXPECT_EQ(desk.request(a, 2), Drop::address_in_use);
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::none);
}

TEST(ServerHandshake, HandshakeExpires) {
  RequestQueue desk;
  TokenRequest request = token_request(1);
  request.timeout_seconds = 3;
  EXPECT_EQ(desk.request(a, request), Drop::none);
  PacketHead head;
  const core::Bytes challenge = desk.opened(1, head);
  desk.now = 3 * second;
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::unknown_address) << "even before the sweep";
  EXPECT_EQ(desk.request(a, 2), Drop::none);
  desk.update(3 * second);
  EXPECT_EQ(desk.respond(a, 2, challenge), Drop::stale_challenge);
  desk.update(13 * second);
  EXPECT_EQ(desk.replies.ended.count(a), 1u) << "a stream without a session is closed";
}

TEST(ServerHandshake, FullTableOfHandshakesRefusesWithoutEviction) {
  ServerEndpointConfig config = server_config(4);
  config.handshakes_max = 2;
  RequestQueue desk(config);
  const core::Bytes challenge = desk.challenge(a, 1);
  desk.challenge(b, 2);
  EXPECT_EQ(desk.request(c, 3), Drop::handshakes_full);
  EXPECT_TRUE(desk.replies.datagrams.empty());
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::none);
  EXPECT_EQ(desk.request(c, 3), Drop::none);
}

TEST(ServerHandshake, FullTableOfUsedTokensRefusesUntilTheyExpire) {
  ServerEndpointConfig config = server_config(4);
  config.used_tokens_max = 2;
  RequestQueue desk(config);
  desk.connect(a, 1);
  EXPECT_EQ(desk.request(b, 2), Drop::none);
  EXPECT_EQ(desk.request(c, 3), Drop::used_tokens_full);
  desk.server.set_unix_time(start_time + 60);
  desk.update(60 * second);
  TokenRequest later = token_request(3);
  later.expire_seconds = 100;
  EXPECT_EQ(desk.request(c, later), Drop::none);
}

TEST(ServerHandshake, DropsRequestsAboveTheLimitsUnopened) {
  ServerEndpointConfig config = server_config();
  config.handshakes_per_address = {10, 3};
  config.handshakes = {10, 5};
  RequestQueue desk(config);
  const core::Bytes forged = request_of(make_token(token_request(1), test_key(1)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(desk.send(a, forged), Drop::token_forged);
  EXPECT_EQ(desk.request(a, 1), Drop::address_limit);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(desk.send(b, forged), Drop::token_forged);
  EXPECT_EQ(desk.request(c, 1), Drop::global_limit);
  desk.now += second;
  EXPECT_EQ(desk.request(a, 1), Drop::none);
}

TEST(ServerHandshake, StoresNothingForAddressesWithoutAToken) {
  ServerEndpointConfig config = server_config(2);
  config.handshakes_max = 2;
  config.used_tokens_max = 2;
  RequestQueue desk(config);
  const core::Bytes forged = request_of(make_token(token_request(1), test_key(1)));
  for (std::size_t i = 0; i < 10'000; ++i) EXPECT_EQ(desk.send(client_address(i), forged), Drop::token_forged);
  desk.connect(a, 1);
}

TEST(ServerHandshake, RepliesAreShorterThanRequests) {
  RequestQueue desk(server_config(1));
  const auto request_is_longer = [&] {
    std::size_t bytes = 0;
    for (const core::Bytes& reply : desk.replies.datagrams) bytes += reply.size();
    EXPECT_GT(bytes, 0u);
    EXPECT_LT(bytes, request_bytes);
  };
  const core::Bytes first = desk.challenge(a, 1);
  request_is_longer();
  const core::Bytes second_one = desk.challenge(b, 2);
  EXPECT_EQ(desk.respond(a, 1, first), Drop::none);
  request_is_longer();
  EXPECT_LT(desk.replies.datagrams.at(0).size(), challenge_body_bytes);
  EXPECT_EQ(desk.respond(b, 2, second_one), Drop::server_full);
  EXPECT_LT(desk.replies.datagrams.at(0).size(), challenge_body_bytes);
  EXPECT_EQ(desk.request(c, 3), Drop::server_full);
  request_is_longer();
}

// --- Responses -----------------------------------------------------------------------------------------------------

TEST(ServerHandshake, ResponseOpensTheSessionWithTheUserData) {
  RequestQueue desk;
  desk.connect(a, 1);
  PacketHead head;
  const core::Bytes body = desk.opened(1, head);
  EXPECT_EQ(head.type, PacketType::keep_alive);
  EXPECT_EQ(head.sequence, 0u);
  ASSERT_EQ(desk.server.sessions().size(), 1u);
  const SessionId id = desk.server.sessions()[0];
  EXPECT_EQ(core::load<std::uint32_t>(body.data()), id.index);
  EXPECT_EQ(core::load<std::uint32_t>(body.data() + 4), 8u);
  EXPECT_EQ(desk.server.identity(id).client_id, 1u);
  EXPECT_EQ(desk.server.identity(id).user_data, token_request(1).user_data);
  EXPECT_EQ(desk.server.address(id), a);
}

TEST(ServerHandshake, IgnoresAResponseFromAnotherAddress) {
  RequestQueue desk;
  const core::Bytes challenge = desk.challenge(a, 1);
  EXPECT_EQ(desk.respond(b, 1, challenge), Drop::unknown_address);
  EXPECT_EQ(desk.respond(a, 2, challenge), Drop::forged) << "sealed with another token's key";
  EXPECT_TRUE(desk.server.sessions().empty());
}

TEST(ServerHandshake, ResponseStep1IgnoresForgedChallenges) {
  RequestQueue desk;
  core::Bytes challenge = desk.challenge(a, 1);
  challenge[0] = std::byte{1};
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::challenge_forged) << "another sequence";
  challenge[0] = std::byte{0};
  challenge[100] ^= std::byte{1};
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::challenge_forged);
}

TEST(ServerHandshake, IgnoresAChallengeOfAnotherClient) {
  RequestQueue desk;
  desk.challenge(a, 1);
  const core::Bytes other = desk.challenge(b, 2);
  EXPECT_EQ(desk.respond(a, 1, other), Drop::stale_challenge);
}

TEST(ServerHandshake, AcceptsAnyChallengeOfTheOwnHandshake) {
  RequestQueue desk;
  const core::Bytes first = desk.challenge(a, 1);
  desk.challenge(a, 1);
  EXPECT_EQ(desk.respond(a, 1, first), Drop::none);
}

TEST(ServerHandshake, ResponseStep2IgnoresAClientWithASession) {
  RequestQueue desk;
  const core::Bytes challenge = desk.challenge(a, 1);
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::none);
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::address_in_use);
  EXPECT_EQ(desk.server.sessions().size(), 1u);
}

TEST(ServerHandshake, ResponseStep3ConnectsTheFirstOfTwoAddresses) {
  RequestQueue desk;
  TokenRequest same = token_request(1);
  const core::Bytes first = desk.challenge(a, 1);
  const core::Bytes bytes = mint_token(same, private_key, test_secrets(99), start_time).value();
  EXPECT_EQ(desk.send(b, request_of(read_token(bytes).value())), Drop::none);
  PacketHead head;
  const core::Bytes later = desk.opened(99, head);
  EXPECT_EQ(desk.respond(b, 99, later), Drop::none);
  EXPECT_EQ(desk.respond(a, 1, first), Drop::client_in_use);
}

TEST(ServerHandshake, ResponseStep4DeniesWhenFull) {
  RequestQueue desk(server_config(1));
  const core::Bytes first = desk.challenge(a, 1);
  const core::Bytes other = desk.challenge(b, 2);
  EXPECT_EQ(desk.respond(b, 2, other), Drop::none);
  EXPECT_EQ(desk.respond(a, 1, first), Drop::server_full);
  PacketHead head;
  desk.opened(1, head);
  EXPECT_EQ(head.type, PacketType::denied);
  EXPECT_GE(head.sequence, std::uint64_t{1} << 63);
}

// A recorded connection is replayed after the server has dropped the used token.
TEST(ServerHandshake, RecordedConnectionOpensNoSecondSession) {
  RequestQueue desk;
  TokenRequest request = token_request(1);
  request.expire_seconds = 1'000'000;
  std::vector<core::Bytes> recorded{request_of(make_token(request))};
  EXPECT_EQ(desk.send(a, recorded[0]), Drop::none);
  PacketHead head;
  recorded.push_back(desk.packet(1, PacketType::response, desk.opened(1, head)));
  EXPECT_EQ(desk.send(a, recorded[1]), Drop::none);
  recorded.push_back(desk.packet(1, PacketType::payload, core::Bytes(20)));
  EXPECT_EQ(desk.send(a, recorded[2]), Drop::none);
  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::disconnect, {})), Drop::none);

  EXPECT_EQ(desk.send(a, recorded[0]), Drop::token_used);
  desk.server.set_unix_time(start_time + 1'000'000);  // the token expires and is dropped …
  desk.update(1'000'000 * second);
  desk.server.set_unix_time(start_time);  // … and the clock is set back
  EXPECT_EQ(desk.send(a, recorded[0]), Drop::none) << "the token is valid";
  EXPECT_EQ(desk.send(a, recorded[1]), Drop::stale_challenge);
  EXPECT_EQ(desk.send(a, recorded[2]), Drop::unknown_address);
  EXPECT_TRUE(desk.server.sessions().empty());
}

// --- Both ----------------------------------------------------------------------------------------------------------

TEST(ServerHandshake, IgnoresPacketTypesOfServers) {
  RequestQueue desk;
  desk.connect(a, 1);
  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::challenge, core::Bytes(challenge_body_bytes))), Drop::wrong_type);
  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::denied, {})), Drop::wrong_type);
}

TEST(ServerHandshake, IgnoresPayloadsBeforeTheResponse) {
  RequestQueue desk;
  desk.challenge(a, 1);
  EXPECT_EQ(desk.send(a, desk.packet(1, PacketType::payload, core::Bytes(10))), Drop::unknown_address);
}

TEST(ServerHandshake, LostStreamRemovesItsHandshake) {
  RequestQueue desk;
  const core::Bytes challenge = desk.challenge(a, 1);
  desk.server.pipe_closed(a, 0);
  EXPECT_EQ(desk.respond(a, 1, challenge), Drop::unknown_address);
  EXPECT_EQ(desk.request(a, 2), Drop::none);
}

// IMPLEMENTERS 3: a restarted server must not seal a challenge with a session's sequence.
TEST(ServerHandshake, GlobalSequenceBeginsInTheUpperHalf) {
  for (int start = 0; start < 2; ++start) {
    RequestQueue desk;
    desk.challenge(a, 1);
    PacketHead head;
    desk.opened(1, head);
    EXPECT_EQ(head.sequence, std::uint64_t{1} << 63);
  }
}

}  // namespace
}  // namespace mobula::transport

// "Processing Connection Requests" of the standard, step by step, and its limits.
#include <gtest/gtest.h>

#include <transport/handshake_driver.hpp>

namespace mobula::transport {
namespace {

using core::second;
using test::a;
using test::b;
using test::c;
using test::HandshakeDriver;
using test::request_of;

TEST(ServerHandshake, ChallengesARequestWithAValidToken) {
  HandshakeDriver driver;
  EXPECT_EQ(driver.request(a, 7), Drop::none);
  EXPECT_EQ(driver.replies.addresses.back(), a);
  PacketHead head;
  const core::Bytes body = driver.opened(7, head);
  EXPECT_EQ(head.type, PacketType::challenge);
  EXPECT_EQ(head.sequence, std::uint64_t{1} << 63) << "IMPLEMENTERS 3: never among a session's sequences";
  ASSERT_EQ(body.size(), challenge_body_bytes);
  EXPECT_EQ(core::load<std::uint64_t>(body.data()), 0u) << "the challenge sequence starts at zero";
  ChallengeToken token;
  ASSERT_TRUE(open_challenge(core::ByteView(body).subspan(8), 0, server_config().challenge_key, token));
  EXPECT_EQ(token.client_id, 7u);
  EXPECT_EQ(token.user_data, token_request(7).user_data);
  EXPECT_TRUE(driver.server.sessions().empty());

  EXPECT_EQ(driver.request(a, 7), Drop::none) << "a repeated request is answered again";
  EXPECT_EQ(core::load<std::uint64_t>(driver.opened(7, head).data()), 1u);
  EXPECT_EQ(head.sequence, (std::uint64_t{1} << 63) + 1);
  EXPECT_EQ(driver.server.counters().challenges, 2u);
}

TEST(ServerHandshake, Step1IgnoresSizesOtherThan1078Bytes) {
  HandshakeDriver driver;
  core::Bytes request = request_of(make_token(1));
  request.pop_back();
  EXPECT_EQ(driver.send(a, request), Drop::wrong_size);
  request.resize(1079);
  EXPECT_EQ(driver.send(a, request), Drop::wrong_size);
  EXPECT_EQ(driver.send(a, core::Bytes(1)), Drop::wrong_size);
  EXPECT_TRUE(driver.replies.datagrams.empty());
}

TEST(ServerHandshake, Steps2To4IgnoreOtherVersionsAndExpiredTokens) {
  HandshakeDriver driver;
  core::Bytes request = request_of(make_token(1));
  request[12] = std::byte{'1'};
  EXPECT_EQ(driver.send(a, request), Drop::wrong_version);
  TokenRequest other = token_request(1);
  other.protocol_id = 5;
  EXPECT_EQ(driver.request(a, other), Drop::wrong_protocol);
  driver.server.set_unix_time(start_time + 60);
  EXPECT_EQ(driver.request(a, 1), Drop::token_expired);
  EXPECT_EQ(driver.server.counters().expired_by, 0u);
  driver.server.set_unix_time(start_time + 121);
  EXPECT_EQ(driver.request(a, 1), Drop::token_expired);
  EXPECT_EQ(driver.server.counters().expired_by, 61u);
  core::Bytes forged = request_of(make_token(2));
  std::fill_n(forged.begin() + 22, 8, std::byte{0});  // expiry time
  EXPECT_EQ(driver.send(a, forged), Drop::token_forged);
  EXPECT_EQ(driver.server.counters().expired_by, 61u) << "anyone could set it";
  driver.server.set_unix_time(start_time + 59);
  EXPECT_EQ(driver.request(a, 1), Drop::none);
}

TEST(ServerHandshake, Step5IgnoresForgedTokens) {
  HandshakeDriver driver;
  EXPECT_EQ(driver.send(a, request_of(make_token(token_request(1), test_key(1)))), Drop::token_forged);
  core::Bytes request = request_of(make_token(1));
  request[22] ^= std::byte{0x80};  // expiry time
  EXPECT_EQ(driver.send(a, request), Drop::token_forged);
  EXPECT_TRUE(driver.replies.datagrams.empty());
}

TEST(ServerHandshake, Step7IgnoresTokensOfOtherServers) {
  ServerEndpointConfig config = server_config();
  const Address v6{{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 7777};
  config.public_addresses = {server_address, v6};
  HandshakeDriver driver(config);
  TokenRequest request = token_request(1);
  request.servers = {Address::v4(10, 0, 0, 1, 7778), Address::v4(10, 0, 0, 2, 7777)};
  EXPECT_EQ(driver.request(a, request), Drop::other_server);
  request.servers.push_back(v6);
  EXPECT_EQ(driver.request(a, request), Drop::none);
}

TEST(ServerHandshake, Step8IgnoresAnAddressWithASession) {
  HandshakeDriver driver;
  driver.connect(a, 1);
  EXPECT_EQ(driver.request(a, 2), Drop::address_in_use);
  EXPECT_TRUE(driver.replies.datagrams.empty());
}

TEST(ServerHandshake, Step9IgnoresAClientIdWithASession) {
  HandshakeDriver driver;
  driver.connect(a, 1);
  EXPECT_EQ(driver.request(b, 1), Drop::client_in_use);
  EXPECT_TRUE(driver.replies.datagrams.empty());
}

TEST(ServerHandshake, Step10BindsATokenToItsFirstAddress) {
  HandshakeDriver driver;
  EXPECT_EQ(driver.request(a, 1), Drop::none);
  EXPECT_EQ(driver.request(b, 1), Drop::token_used);
  EXPECT_EQ(driver.request(a, 1), Drop::none);
  Address other_pipe = a;
  other_pipe.pipe = Pipe::tcp;
  EXPECT_EQ(driver.request(other_pipe, 1), Drop::token_used);
}

TEST(ServerHandshake, KeepsUsedTokensWhenTheClockIsChanged) {
  HandshakeDriver driver;
  EXPECT_EQ(driver.request(a, 1), Drop::none);
  driver.server.set_unix_time(start_time + 1'000'000);
  driver.update(0);
  driver.server.set_unix_time(start_time);
  EXPECT_EQ(driver.request(b, 1), Drop::token_used);
}

TEST(ServerHandshake, TokenOpensOnlyOneSession) {
  HandshakeDriver driver;
  driver.connect(a, 1);
  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::disconnect, {})), Drop::none);
  EXPECT_TRUE(driver.server.sessions().empty());
  EXPECT_EQ(driver.request(a, 1), Drop::token_used) << "its keys and sequences have been used";
}

TEST(ServerHandshake, Step12DeniesWhenFull) {
  HandshakeDriver driver(server_config(1));
  driver.connect(a, 1);
  EXPECT_EQ(driver.request(b, 2), Drop::server_full);
  PacketHead head;
  EXPECT_TRUE(driver.opened(2, head).empty());
  EXPECT_EQ(head.type, PacketType::denied);
  EXPECT_GE(head.sequence, std::uint64_t{1} << 63);
  EXPECT_EQ(driver.replies.ended.count(b), 1u);
  ServerEvent event;
  ASSERT_TRUE(driver.server.poll_event(event));
  ASSERT_TRUE(driver.server.poll_event(event));
  EXPECT_EQ(event.kind, ServerEvent::Kind::refused);
  EXPECT_EQ(to_string(event.reason), "server full: all 1 sessions are taken");

  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::disconnect, {})), Drop::none);
  EXPECT_EQ(driver.request(b, 2), Drop::none) << "the denied token is still good";
}

TEST(ServerHandshake, Step13KeepsTheKeysOfAPendingHandshake) {
  HandshakeDriver driver;
  const core::Bytes challenge = driver.challenge(a, 1);
  EXPECT_EQ(driver.request(a, 2), Drop::address_in_use);
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::none);
}

TEST(ServerHandshake, HandshakeExpires) {
  HandshakeDriver driver;
  TokenRequest request = token_request(1);
  request.timeout_seconds = 3;
  EXPECT_EQ(driver.request(a, request), Drop::none);
  PacketHead head;
  const core::Bytes challenge = driver.opened(1, head);
  driver.now = 3 * second;
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::unknown_address) << "even before the sweep";
  EXPECT_EQ(driver.request(a, 2), Drop::none);
  driver.update(3 * second);
  EXPECT_EQ(driver.respond(a, 2, challenge), Drop::stale_challenge);
  driver.update(13 * second);
  EXPECT_EQ(driver.replies.ended.count(a), 1u) << "a stream without a session is closed";
}

TEST(ServerHandshake, FullTableOfHandshakesRefusesWithoutEviction) {
  ServerEndpointConfig config = server_config(4);
  config.handshakes_max = 2;
  HandshakeDriver driver(config);
  const core::Bytes challenge = driver.challenge(a, 1);
  driver.challenge(b, 2);
  EXPECT_EQ(driver.request(c, 3), Drop::handshakes_full);
  EXPECT_TRUE(driver.replies.datagrams.empty());
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::none);
  EXPECT_EQ(driver.request(c, 3), Drop::none);
}

TEST(ServerHandshake, FullTableOfUsedTokensRefusesUntilTheyExpire) {
  ServerEndpointConfig config = server_config(4);
  config.used_tokens_max = 2;
  HandshakeDriver driver(config);
  driver.connect(a, 1);
  EXPECT_EQ(driver.request(b, 2), Drop::none);
  EXPECT_EQ(driver.request(c, 3), Drop::used_tokens_full);
  driver.server.set_unix_time(start_time + 60);
  driver.update(60 * second);
  TokenRequest later = token_request(3);
  later.expire_seconds = 100;
  EXPECT_EQ(driver.request(c, later), Drop::none);
}

TEST(ServerHandshake, DropsRequestsAboveTheLimitsUnopened) {
  ServerEndpointConfig config = server_config();
  config.handshakes_per_address = {10, 3};
  config.handshakes = {10, 5};
  HandshakeDriver driver(config);
  const core::Bytes forged = request_of(make_token(token_request(1), test_key(1)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(driver.send(a, forged), Drop::token_forged);
  EXPECT_EQ(driver.request(a, 1), Drop::address_limit);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(driver.send(b, forged), Drop::token_forged);
  EXPECT_EQ(driver.request(c, 1), Drop::global_limit);
  driver.now += second;
  EXPECT_EQ(driver.request(a, 1), Drop::none);
}

TEST(ServerHandshake, StoresNothingForAddressesWithoutAToken) {
  ServerEndpointConfig config = server_config(2);
  config.handshakes_max = 2;
  config.used_tokens_max = 2;
  HandshakeDriver driver(config);
  const core::Bytes forged = request_of(make_token(token_request(1), test_key(1)));
  for (std::size_t i = 0; i < 10'000; ++i) EXPECT_EQ(driver.send(client_address(i), forged), Drop::token_forged);
  driver.connect(a, 1);
}

TEST(ServerHandshake, RepliesAreShorterThanRequests) {
  HandshakeDriver driver(server_config(1));
  const auto request_is_longer = [&] {
    std::size_t bytes = 0;
    for (const core::Bytes& reply : driver.replies.datagrams) bytes += reply.size();
    EXPECT_GT(bytes, 0u);
    EXPECT_LT(bytes, request_bytes);
  };
  const core::Bytes first = driver.challenge(a, 1);
  request_is_longer();
  const core::Bytes second_one = driver.challenge(b, 2);
  EXPECT_EQ(driver.respond(a, 1, first), Drop::none);
  request_is_longer();
  EXPECT_LT(driver.replies.datagrams.at(0).size(), challenge_body_bytes);
  EXPECT_EQ(driver.respond(b, 2, second_one), Drop::server_full);
  EXPECT_LT(driver.replies.datagrams.at(0).size(), challenge_body_bytes);
  EXPECT_EQ(driver.request(c, 3), Drop::server_full);
  request_is_longer();
}

// IMPLEMENTERS 3: a restarted server must not seal a challenge with a session's sequence.
TEST(ServerHandshake, GlobalSequenceBeginsInTheUpperHalf) {
  for (int start = 0; start < 2; ++start) {
    HandshakeDriver driver;
    driver.challenge(a, 1);
    PacketHead head;
    driver.opened(1, head);
    EXPECT_EQ(head.sequence, std::uint64_t{1} << 63);
  }
}

}  // namespace
}  // namespace mobula::transport

// "Processing Connection Response Packets" of the standard, step by step, and packets of a handshake that are ignored.
#include <gtest/gtest.h>

#include <transport/handshake_driver.hpp>

namespace mobula::transport {
namespace {

using core::second;
using test::a;
using test::b;
using test::HandshakeDriver;
using test::request_of;

TEST(ServerHandshake, ResponseOpensTheSessionWithTheUserData) {
  HandshakeDriver driver;
  driver.connect(a, 1);
  PacketHead head;
  const core::Bytes body = driver.opened(1, head);
  EXPECT_EQ(head.type, PacketType::keep_alive);
  EXPECT_EQ(head.sequence, 0u);
  ASSERT_EQ(driver.server.sessions().size(), 1u);
  const SessionId id = driver.server.sessions()[0];
  EXPECT_EQ(core::load<std::uint32_t>(body.data()), id.index);
  EXPECT_EQ(core::load<std::uint32_t>(body.data() + 4), 8u);
  EXPECT_EQ(driver.server.identity(id).client_id, 1u);
  EXPECT_EQ(driver.server.identity(id).user_data, token_request(1).user_data);
  EXPECT_EQ(driver.server.address(id), a);
}

TEST(ServerHandshake, IgnoresAResponseFromAnotherAddress) {
  HandshakeDriver driver;
  const core::Bytes challenge = driver.challenge(a, 1);
  EXPECT_EQ(driver.respond(b, 1, challenge), Drop::unknown_address);
  EXPECT_EQ(driver.respond(a, 2, challenge), Drop::forged) << "sealed with another token's key";
  EXPECT_TRUE(driver.server.sessions().empty());
}

TEST(ServerHandshake, ResponseStep1IgnoresForgedChallenges) {
  HandshakeDriver driver;
  core::Bytes challenge = driver.challenge(a, 1);
  challenge[0] = std::byte{1};
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::challenge_forged) << "another sequence";
  challenge[0] = std::byte{0};
  challenge[100] ^= std::byte{1};
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::challenge_forged);
}

TEST(ServerHandshake, IgnoresAChallengeOfAnotherClient) {
  HandshakeDriver driver;
  driver.challenge(a, 1);
  const core::Bytes other = driver.challenge(b, 2);
  EXPECT_EQ(driver.respond(a, 1, other), Drop::stale_challenge);
}

TEST(ServerHandshake, AcceptsAnyChallengeOfTheOwnHandshake) {
  HandshakeDriver driver;
  const core::Bytes first = driver.challenge(a, 1);
  driver.challenge(a, 1);
  EXPECT_EQ(driver.respond(a, 1, first), Drop::none);
}

TEST(ServerHandshake, ResponseStep2IgnoresAClientWithASession) {
  HandshakeDriver driver;
  const core::Bytes challenge = driver.challenge(a, 1);
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::none);
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::address_in_use);
  EXPECT_EQ(driver.server.sessions().size(), 1u);
}

TEST(ServerHandshake, ResponseStep3ConnectsTheFirstOfTwoAddresses) {
  HandshakeDriver driver;
  TokenRequest same = token_request(1);
  const core::Bytes first = driver.challenge(a, 1);
  const core::Bytes bytes = mint_token(same, private_key, test_secrets(99), start_time).value();
  EXPECT_EQ(driver.send(b, request_of(read_token(bytes).value())), Drop::none);
  PacketHead head;
  const core::Bytes later = driver.opened(99, head);
  EXPECT_EQ(driver.respond(b, 99, later), Drop::none);
  EXPECT_EQ(driver.respond(a, 1, first), Drop::client_in_use);
}

TEST(ServerHandshake, ResponseStep4DeniesWhenFull) {
  HandshakeDriver driver(server_config(1));
  const core::Bytes first = driver.challenge(a, 1);
  const core::Bytes other = driver.challenge(b, 2);
  EXPECT_EQ(driver.respond(b, 2, other), Drop::none);
  EXPECT_EQ(driver.respond(a, 1, first), Drop::server_full);
  PacketHead head;
  driver.opened(1, head);
  EXPECT_EQ(head.type, PacketType::denied);
  EXPECT_GE(head.sequence, std::uint64_t{1} << 63);
}

// A recorded connection is replayed after the server has dropped the used token.
TEST(ServerHandshake, RecordedConnectionOpensNoSecondSession) {
  HandshakeDriver driver;
  TokenRequest request = token_request(1);
  request.expire_seconds = 1'000'000;
  std::vector<core::Bytes> recorded{request_of(make_token(request))};
  EXPECT_EQ(driver.send(a, recorded[0]), Drop::none);
  PacketHead head;
  recorded.push_back(driver.packet(1, PacketType::response, driver.opened(1, head)));
  EXPECT_EQ(driver.send(a, recorded[1]), Drop::none);
  recorded.push_back(driver.packet(1, PacketType::payload, core::Bytes(20)));
  EXPECT_EQ(driver.send(a, recorded[2]), Drop::none);
  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::disconnect, {})), Drop::none);

  EXPECT_EQ(driver.send(a, recorded[0]), Drop::token_used);
  driver.server.set_unix_time(start_time + 1'000'000);  // the token expires and is dropped …
  driver.update(1'000'000 * second);
  driver.server.set_unix_time(start_time);  // … and the clock is set back
  EXPECT_EQ(driver.send(a, recorded[0]), Drop::none) << "the token is valid";
  EXPECT_EQ(driver.send(a, recorded[1]), Drop::stale_challenge);
  EXPECT_EQ(driver.send(a, recorded[2]), Drop::unknown_address);
  EXPECT_TRUE(driver.server.sessions().empty());
}

TEST(ServerHandshake, IgnoresPacketTypesOfServers) {
  HandshakeDriver driver;
  driver.connect(a, 1);
  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::challenge, core::Bytes(challenge_body_bytes))),
            Drop::wrong_type);
  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::denied, {})), Drop::wrong_type);
}

TEST(ServerHandshake, IgnoresPayloadsBeforeTheResponse) {
  HandshakeDriver driver;
  driver.challenge(a, 1);
  EXPECT_EQ(driver.send(a, driver.packet(1, PacketType::payload, core::Bytes(10))), Drop::unknown_address);
}

TEST(ServerHandshake, LostStreamRemovesItsHandshake) {
  HandshakeDriver driver;
  const core::Bytes challenge = driver.challenge(a, 1);
  driver.server.pipe_closed(a, 0);
  EXPECT_EQ(driver.respond(a, 1, challenge), Drop::unknown_address);
  EXPECT_EQ(driver.request(a, 2), Drop::none);
}

}  // namespace
}  // namespace mobula::transport

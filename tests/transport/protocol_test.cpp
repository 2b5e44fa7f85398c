#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/transport/protocol.hpp>

namespace mobula::transport {
namespace {

const Address client = Address::v4(10, 0, 0, 1, 1000);

core::SecretKey key_of(std::uint8_t value) {
  core::SecretKey key;
  key.fill(static_cast<std::byte>(value));
  return key;
}

template <class Message>
core::Bytes encoded(const Message& message) {
  Datagram datagram;
  encode(message, datagram);
  return {datagram.view().begin(), datagram.view().end()};
}

// All decoders at once: how many take these bytes.
int taken_by(core::ByteView bytes) {
  return int{decode_hello(bytes).has_value()} + int{decode_challenge(bytes).has_value()} +
         int{decode_proof(bytes).has_value()} + int{decode_accepted(bytes).has_value()} +
         int{decode_refused(bytes).has_value()} + int{decode_payload(bytes).has_value()} +
         int{decode_disconnect(bytes).has_value()};
}

std::vector<core::Bytes> one_of_each() {
  const Cookie cookie = CookieJar(key_of(1)).make(client, 77, core::second);
  return {encoded(Hello{3, 77}),
          encoded(Challenge{77, cookie}),
          encoded(Proof{{3, 77}, cookie}),
          encoded(Accepted{77, {99}}),
          encoded(Refused{77, {ReasonCode::server_full, "no room"}}),
          encoded(Disconnect{{99}, {ReasonCode::kicked, "idle"}})};
}

TEST(Protocol, WhatWasEncodedIsDecoded) {
  const Cookie cookie = CookieJar(key_of(1)).make(client, 77, 25 * core::second);
  EXPECT_EQ(decode_hello(encoded(Hello{3, 77}))->protocol_version, 3u);
  EXPECT_EQ(decode_hello(encoded(Hello{3, 77}))->nonce, 77u);
  EXPECT_EQ(decode_challenge(encoded(Challenge{77, cookie}))->cookie.hash, cookie.hash);
  EXPECT_EQ(decode_proof(encoded(Proof{{3, 77}, cookie}))->cookie.epoch, 2u);
  EXPECT_EQ(decode_proof(encoded(Proof{{3, 77}, cookie}))->hello.nonce, 77u);
  EXPECT_EQ(decode_accepted(encoded(Accepted{77, {99}}))->connection, ConnectionId{99});
  const Reason reason{ReasonCode::kicked, "idle"};
  EXPECT_EQ(decode_refused(encoded(Refused{77, reason}))->reason, reason);
  EXPECT_EQ(decode_disconnect(encoded(Disconnect{{99}, reason}))->reason, reason);
  EXPECT_EQ(decode_disconnect(encoded(Disconnect{{99}, reason}))->connection, ConnectionId{99});
}

TEST(Protocol, LayoutsAreThoseOfTheList) {
  const core::Bytes hello = encoded(Hello{0x01020304, 0x1112131415161718});
  ASSERT_EQ(hello.size(), 256u);
  const std::array<int, 17> head{1, 'M', 'B', 'U', 'L', 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11};
  for (std::size_t i = 0; i < head.size(); ++i) EXPECT_EQ(std::to_integer<int>(hello[i]), head[i]) << i;
  EXPECT_EQ(encoded(Accepted{1, {2}}).size(), 17u);
  EXPECT_EQ(encoded(Challenge{1, {}}).size(), 29u);
  EXPECT_EQ(encoded(Disconnect{{2}, {ReasonCode::left, "bye"}}).size(), 14u);
}

TEST(Protocol, NoReplyIsAsLongAsARequest) {
  const Reason longest{ReasonCode::server_full, std::string(5000, 'x')};
  EXPECT_LT(encoded(Refused{1, longest}).size(), hello_bytes);
  EXPECT_LT(encoded(Challenge{1, {}}).size(), hello_bytes);
  EXPECT_LT(encoded(Accepted{1, {}}).size(), hello_bytes);
  EXPECT_EQ(decode_refused(encoded(Refused{1, longest}))->reason.text, std::string(reason_text_bytes_max, 'x'));
}

TEST(Protocol, TextThatWouldBreakALogLineIsMadeHarmless) {
  const core::Bytes bytes = encoded(Refused{1, {ReasonCode::kicked, "a\n\x1b[31m\x80z"}});
  EXPECT_EQ(decode_refused(bytes)->reason.text, "a??[31m?z");
}

TEST(Protocol, EachDatagramIsTakenByItsDecoderAlone) {
  for (const core::Bytes& bytes : one_of_each()) EXPECT_EQ(taken_by(bytes), 1) << std::to_integer<int>(bytes[0]);
}

TEST(Protocol, NoTruncationAndNoExtraByteIsTaken) {
  for (const core::Bytes& bytes : one_of_each()) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(taken_by(core::ByteView(bytes).first(size)), 0) << std::to_integer<int>(bytes[0]) << " " << size;
    }
    core::Bytes longer = bytes;
    longer.push_back(std::byte{});
    EXPECT_EQ(taken_by(longer), 0) << std::to_integer<int>(bytes[0]);
  }
}

TEST(Protocol, EveryBitOfAHelloMatters) {
  const core::Bytes hello = encoded(Hello{3, 77});
  for (std::size_t bit = 0; bit < hello.size() * 8; ++bit) {
    core::Bytes flipped = hello;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    const std::optional<Hello> decoded = decode_hello(flipped);
    if (decoded) {
      EXPECT_TRUE(decoded->protocol_version != 3 || decoded->nonce != 77) << bit;
    }
  }
}

TEST(Protocol, ReasonCodesThatDoNotExistAreMalformed) {
  core::Bytes bytes = encoded(Disconnect{{99}, {ReasonCode::kicked, ""}});
  for (int code = 0; code < 256; ++code) {
    bytes[9] = static_cast<std::byte>(code);
    EXPECT_EQ(decode_disconnect(bytes).has_value(), code > 0 && code < static_cast<int>(ReasonCode::count)) << code;
  }
}

TEST(Protocol, RandomBytesDoNoHarm) {
  constexpr std::uint64_t seed = 3;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  for (int round = 0; round < 20'000; ++round) {
    core::Bytes bytes(random.below(300));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random.below(9));
    ASSERT_LE(taken_by(bytes), 1);
    ASSERT_FALSE(decode_hello(bytes) || decode_proof(bytes));
  }
}

TEST(CookieJar, ACookieIsGoodForItsAddressNonceKeyAndTimeAlone) {
  const CookieJar jar(key_of(1));
  const Cookie cookie = jar.make(client, 77, 14 * core::second);
  EXPECT_TRUE(jar.good(cookie, client, 77, 14 * core::second));
  EXPECT_TRUE(jar.good(cookie, client, 77, 29 * core::second));
  EXPECT_FALSE(jar.good(cookie, client, 77, 30 * core::second));
  EXPECT_FALSE(jar.good(cookie, client, 77, 9 * core::second));
  EXPECT_FALSE(jar.good(cookie, client, 78, 14 * core::second));
  EXPECT_FALSE(jar.good(cookie, Address::v4(10, 0, 0, 1, 1001), 77, 14 * core::second));
  EXPECT_FALSE(jar.good(cookie, Address::v4(10, 0, 0, 2, 1000), 77, 14 * core::second));
  EXPECT_FALSE(CookieJar(key_of(2)).good(cookie, client, 77, 14 * core::second));
}

TEST(CookieJar, NoFlippedCookieIsGood) {
  const CookieJar jar(key_of(1));
  const Cookie cookie = jar.make(client, 77, core::second);
  for (std::size_t bit = 0; bit < sizeof(Cookie) * 8; ++bit) {
    auto bytes = core::load<std::array<std::byte, sizeof(Cookie)>>(&cookie);
    bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(jar.good(core::load<Cookie>(bytes.data()), client, 77, core::second)) << bit;
  }
}

TEST(CookieJar, ConnectionIdsNeverRepeat) {
  const CookieJar jar(key_of(1));
  EXPECT_EQ(jar.connection(client, 77, 1), jar.connection(client, 77, 1));
  EXPECT_FALSE(jar.connection(client, 77, 1) == jar.connection(client, 77, 2));
  EXPECT_FALSE(jar.connection(client, 77, 1) == jar.connection(client, 78, 1));
  EXPECT_FALSE(jar.connection(client, 77, 1) == CookieJar(key_of(2)).connection(client, 77, 1));
}

}  // namespace
}  // namespace mobula::transport

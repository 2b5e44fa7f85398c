#include <gtest/gtest.h>

#include <mobula/transport/challenge_token.hpp>

namespace mobula::transport {
namespace {

TEST(ChallengeToken, RoundTrips) {
  ChallengeToken token{.client_id = 0x1122334455667788};
  token.user_data[255] = std::byte{9};
  core::Bytes sealed(challenge_token_bytes);
  core::SecretKey key{};
  seal_challenge(token, 77, key, sealed);
  ChallengeToken back;
  ASSERT_TRUE(open_challenge(sealed, 77, key, back));
  EXPECT_EQ(back.client_id, token.client_id);
  EXPECT_EQ(back.user_data, token.user_data);
}

TEST(ChallengeToken, OpensOnlyWithItsSequenceItsKeyAndAllItsBits) {
  core::Bytes sealed(challenge_token_bytes);
  core::SecretKey key{};
  seal_challenge({}, 77, key, sealed);
  ChallengeToken token;
  EXPECT_FALSE(open_challenge(sealed, 78, key, token));
  key[0] = std::byte{1};
  EXPECT_FALSE(open_challenge(sealed, 77, key, token));
  key[0] = std::byte{0};
  for (std::byte& byte : sealed) {
    byte ^= std::byte{4};
    EXPECT_FALSE(open_challenge(sealed, 77, key, token));
    byte ^= std::byte{4};
  }
  EXPECT_TRUE(open_challenge(sealed, 77, key, token));
}

// Layout: 8 bytes of client id, 256 of user data, 20 zeros, the tag.
TEST(ChallengeToken, HasTheLayoutOfTheStandard) {
  ChallengeToken token{.client_id = 0x0102030405060708};
  token.user_data.fill(std::byte{0xee});
  core::Bytes sealed(challenge_token_bytes);
  seal_challenge(token, 5, {}, sealed);
  core::Bytes plain(challenge_token_bytes - core::seal_bytes);
  ASSERT_TRUE(core::open(sealed, {}, 5, {}, plain));
  core::Bytes expected(284);
  for (std::size_t i = 0; i < 8; ++i) expected[i] = static_cast<std::byte>(8 - i);
  std::fill_n(expected.begin() + 8, 256, std::byte{0xee});
  EXPECT_EQ(plain, expected);
}

}  // namespace
}  // namespace mobula::transport

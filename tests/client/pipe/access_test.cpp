// Connect tokens from a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mobula/client/pipe/access.hpp>
#include <mobula/core/clock.hpp>
#include <string>

namespace mobula::client {
namespace {

// Returns what get_tokens logs about a token file. The token was made some seconds ago and lasts for a minute.
std::string log_about_token(std::uint64_t seconds_ago) {
  const std::string path = testing::TempDir() + "a.token";
  const transport::TokenRequest request{.servers = {transport::Address::v4(127, 0, 0, 1, 7777)}, .expire_seconds = 60};
  const auto bytes = transport::mint_token(request, core::SecretKey{}, transport::random_token_secrets(),
                                           core::unix_now() - seconds_ago);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
  Access access;
  access.options.token_file = path;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(get_tokens(access, 1).ok());
  std::filesystem::remove(path);
  return testing::internal::GetCapturedStderr();
}

TEST(Access, AnExpiredTokenIsLoggedWithItsAge) {
  EXPECT_THAT(
      log_about_token(160),
      testing::ContainsRegex("a.token: the token expired 1[0-9][0-9] s ago, by the clock of this machine; if it "
                             "is younger, synchronise the clocks of both machines .NTP."));
}

TEST(Access, TheAdviceOfNoAnswerNamesTheClocks) {
  EXPECT_THAT(std::string(advice(transport::ReasonCode::no_answer)),
              testing::HasSubstr("the clocks of both machines (NTP)"));
}

TEST(Access, AFreshTokenIsNotLogged) { EXPECT_EQ(log_about_token(0), ""); }

}  // namespace
}  // namespace mobula::client

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bots/token_stock.hpp>
#include <chrono>
#include <filesystem>
#include <mobula/core/clock.hpp>
#include <mobula/process/key_file.hpp>
#include <set>

namespace mobula::client {
namespace {

namespace fs = std::filesystem;

class TokenStockTest : public testing::Test {
 protected:
  void SetUp() override {
    key_ = fs::temp_directory_path() / ("mobula_token_stock." + std::to_string(::getpid()));
    fs::remove(key_);
    ASSERT_TRUE(process::create_key_file(key_.string()));
    access_ = *parse_access({.connect = "127.0.0.1:7777",
                             .token_file = {},
                             .key_file = key_.string(),
                             .admin = {},
                             .ca_file = {},
                             .simulate = {}});
  }
  void TearDown() override { fs::remove(key_); }

  // Takes a token; waits for the other thread.
  std::optional<transport::ConnectToken> take(TokenStock& stock, std::uint64_t now = core::unix_now()) {
    for (int i = 0; i < 6000; ++i) {
      std::optional<transport::ConnectToken> token = stock.take(now);
      if (token || stock.failures() > 0) return token;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::nullopt;
  }

  fs::path key_;
  Access access_;
};

TEST_F(TokenStockTest, NeverRunsOutAndNeverReturnsATokenTwice) {
  const auto stock = TokenStock::open(access_, 1);
  ASSERT_TRUE(stock);
  std::set<std::array<std::byte, 24>> nonces;
  for (std::uint32_t i = 0; i < 5 * TokenStock::batch; ++i) {
    const auto token = take(**stock);
    ASSERT_TRUE(token) << i;
    EXPECT_TRUE(nonces.insert(token->nonce).second);
  }
}

TEST_F(TokenStockTest, DiscardsTokensThatAreAboutToExpire) {
  const auto stock = TokenStock::open(access_, 1);
  ASSERT_TRUE(stock);
  const auto first = (*stock)->take(core::unix_now());
  ASSERT_TRUE(first);
  EXPECT_FALSE((*stock)->take(first->expire_time - 5)) << "all are as old";
  EXPECT_TRUE(take(**stock)) << "new ones come";
}

TEST_F(TokenStockTest, CountsALaterFailureWithItsReason) {
  const auto stock = TokenStock::open(access_, 1);
  ASSERT_TRUE(stock);
  fs::remove(key_);
  for (int i = 0; i < 6000 && (*stock)->failures() == 0; ++i) {
    static_cast<void>((*stock)->take(core::unix_now()));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT((*stock)->failures(), 0u);
  EXPECT_THAT((*stock)->last_failure(), testing::HasSubstr(key_.filename().string()));
}

TEST_F(TokenStockTest, AnInitialFailureIsAnError) {
  fs::remove(key_);
  EXPECT_FALSE(TokenStock::open(access_, 1));
  access_.options.token_file = "there is none";
  EXPECT_STREQ(TokenStock::open(access_, 2).error().reason, "one token");
}

}  // namespace
}  // namespace mobula::client

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mobula/net/bearer_token.hpp>

namespace mobula::net {
namespace {

using std::filesystem::perms;

core::Result<BearerTokenFile> load_file(const std::string& content, perms permissions) {
  const std::string path =
      testing::TempDir() + "bearer_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << content;
  std::filesystem::permissions(path, permissions);
  core::Result<BearerTokenFile> file = load_bearer_token(path);
  std::filesystem::remove(path);
  return file;
}

core::Result<std::string> load(const std::string& content) {
  core::Result<BearerTokenFile> file = load_file(content, perms::owner_all);
  if (!file) return file.error();
  return std::move(file->token);
}

TEST(BearerToken, ReadsTheFirstLineOfItsFile) {
  EXPECT_EQ(load("0123456789abcdef").value(), "0123456789abcdef");
  EXPECT_EQ(load("0123456789abcdef\n").value(), "0123456789abcdef");
  EXPECT_EQ(load("0123456789abcdef \r\n# of the staging server\n").value(), "0123456789abcdef");
}

TEST(BearerToken, RefusesMalformedTokensWithAdvice) {
  for (const std::string& bad :
       {std::string(), std::string("short"), std::string("0123456789 abcdef"), std::string("0123456789abcd\xc3\xa9"),
        std::string(257, 'x'), std::string("\n0123456789abcdef"), std::string(1 << 20, '\0')}) {
    const core::Result<std::string> token = load(bad);
    ASSERT_FALSE(token.ok()) << bad;
    EXPECT_STREQ(token.error().reason, "malformed");
    EXPECT_NE(token.error().message.find("openssl rand -hex 32"), std::string::npos) << token.error().message;
  }
  const core::Result<BearerTokenFile> none = load_bearer_token("/nonexistent/token");
  ASSERT_FALSE(none.ok());
  EXPECT_STREQ(none.error().reason, "cannot read");
  EXPECT_NE(none.error().message.find("/nonexistent/token: No such file"), std::string::npos) << none.error().message;
  EXPECT_FALSE(load_bearer_token("/").ok());
  EXPECT_FALSE(load_bearer_token("/dev/zero").ok()) << "it never ends";
}

TEST(BearerToken, ReportsAFileThatOthersMayRead) {
  const std::string token = "0123456789abcdef";
  EXPECT_FALSE(load_file(token, perms::owner_all)->others_may_read);
  EXPECT_TRUE(load_file(token, perms::owner_read | perms::group_read)->others_may_read);
  EXPECT_TRUE(load_file(token, perms::owner_read | perms::others_read)->others_may_read);
}

}  // namespace
}  // namespace mobula::net

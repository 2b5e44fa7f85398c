#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mobula/server/admin/listen_address.hpp>

namespace mobula::server::admin {
namespace listen_address_test {

namespace fs = std::filesystem;
using transport::Address;

const Address loopback = Address::v4(127, 0, 0, 1, 80);
const Address everywhere = Address::v4(0, 0, 0, 0, 80);

class TokenFile {
 public:
  explicit TokenFile(const std::string& line)
      : path_((fs::path(testing::TempDir()) / ("listen_address." + std::to_string(::getpid()))).string()) {
    std::ofstream(path_) << line << '\n';
  }
  ~TokenFile() { fs::remove(path_); }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ListenAddress, AnIpAddressGetsThePort) {
  EXPECT_EQ(to_string(listen_address("127.0.0.1", 80).value()), "127.0.0.1:80");
  EXPECT_EQ(to_string(listen_address("::1", 0).value()), "[::1]:0");
}

TEST(ListenAddress, NamesAndPortsAreRefused) {
  for (const char* const wrong : {"localhost", "127.0.0.1:80", "", "[::1]", "fe80::1%eth0"}) {
    const core::Result<Address> address = listen_address(wrong, 80);
    ASSERT_FALSE(address) << wrong;
    EXPECT_STREQ(address.error().reason, "bad address") << wrong;
  }
}

TEST(LoadToken, OnlyLoopbackNeedsNone) {
  EXPECT_EQ(load_token("", loopback, "admin").value(), "");
  const core::Result<std::string> none = load_token("", everywhere, "admin");
  ASSERT_FALSE(none);
  EXPECT_STREQ(none.error().reason, "no token");
  EXPECT_THAT(none.error().message, testing::StartsWith("--admin-token-file: "));
}

TEST(LoadToken, AFileGivesItsFirstLine) {
  const TokenFile file("0123456789abcdef");
  EXPECT_EQ(load_token(file.path(), everywhere, "admin").value(), "0123456789abcdef");
}

TEST(LoadToken, AFileThatCannotBeUsedNamesTheSetting) {
  const TokenFile file("short");
  for (const std::string& path : {file.path(), std::string("/nowhere/at/all")}) {
    const core::Result<std::string> token = load_token(path, loopback, "admin");
    ASSERT_FALSE(token) << path;
    EXPECT_THAT(token.error().message, testing::StartsWith("--admin-token-file: "));
    EXPECT_THAT(token.error().message, testing::HasSubstr(path));
  }
}

}  // namespace listen_address_test
}  // namespace mobula::server::admin

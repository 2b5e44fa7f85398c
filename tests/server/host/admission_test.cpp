#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mobula/core/clock.hpp>
#include <mobula/core/key_file.hpp>
#include <mobula/server/host/admission.hpp>

namespace mobula::server {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using transport::Address;

constexpr Ports ports{.udp = 7777, .tcp = 7777, .websocket = 7778};

TEST(Admission, WithoutAKeyFileEachRunHasAKeyOfItsOwn) {
  const auto one = make_admission({}, ports);
  const auto other = make_admission({}, ports);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->shared);
  EXPECT_NE(one->key, other->key);
}

TEST(Admission, DefaultTokensNameThisMachineWithAnyOfItsPorts) {
  const auto admission = make_admission({}, ports);
  ASSERT_TRUE(admission);
  EXPECT_THAT(admission->public_addresses, Contains(Address::v4(127, 0, 0, 1, 7777)));
  EXPECT_THAT(admission->public_addresses, testing::Not(Contains(Address::v4(127, 0, 0, 1, 7778))));
  EXPECT_THAT(admission->accepted, Contains(Address::v4(127, 0, 0, 1, 7778)));
}

TEST(Admission, PublicAddressesTakeThePlaceOfThisMachines) {
  HostConfig config;
  config.public_addresses = {"192.0.2.1:9000", "[2001:db8::1]:9000"};
  const auto admission = make_admission(config, ports);
  ASSERT_TRUE(admission);
  ASSERT_EQ(admission->public_addresses.size(), 2u);
  EXPECT_EQ(admission->public_addresses[0], Address::v4(192, 0, 2, 1, 9000));
  EXPECT_THAT(admission->accepted, Contains(Address::v4(192, 0, 2, 1, 7778)));

  config.public_addresses = {"nonsense"};
  const auto refused = make_admission(config, ports);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("--public-address: "));
}

TEST(Admission, APublicAddressWithoutAPortGetsTheUdpPort) {
  HostConfig config;
  config.public_addresses = {"192.0.2.1", "[2001:db8::1]"};
  const auto admission = make_admission(config, ports);
  ASSERT_TRUE(admission);
  ASSERT_EQ(admission->public_addresses.size(), 2u);
  EXPECT_EQ(admission->public_addresses[0], Address::v4(192, 0, 2, 1, 7777));
  EXPECT_EQ(to_string(admission->public_addresses[1]), "[2001:db8::1]:7777");
  EXPECT_THAT(admission->accepted, Contains(Address::v4(192, 0, 2, 1, 7778)));
}

TEST(Admission, ASharedKeyComesFromItsFile) {
  const fs::path file = fs::temp_directory_path() / ("mobula_admission." + std::to_string(::getpid()));
  const auto key = core::create_key_file(file.string());
  ASSERT_TRUE(key);
  HostConfig config;
  config.key_file = file.string();
  const auto admission = make_admission(config, ports);
  fs::remove(file);
  ASSERT_TRUE(admission);
  EXPECT_TRUE(admission->shared);
  EXPECT_EQ(admission->key, *key);
  EXPECT_FALSE(token_source(*admission)) << "nothing is handed out";
  EXPECT_FALSE(make_admission(config, ports)) << "the file is gone";
}

TEST(Admission, TokensOfItsOwnAreGoodAndAllDifferent) {
  const auto admission = make_admission({}, ports);
  const auto tokens = token_source(*admission)(3, "anna");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 3u);
  EXPECT_NE((*tokens)[0], (*tokens)[1]);
  for (const core::Bytes& bytes : *tokens) {
    const auto token = transport::read_token(bytes);
    ASSERT_TRUE(token);
    EXPECT_EQ(token->servers, admission->public_addresses);
    EXPECT_GT(token->expire_time, core::unix_now());
  }
}

}  // namespace
}  // namespace mobula::server

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mobula/core/clock.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/server/host/token_source.hpp>

namespace mobula::server {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using transport::Address;

constexpr Ports ports{.udp = 7777, .tcp = 7777, .websocket = 7778};

TEST(TokenIssuer, WithoutAKeyFileEachRunHasANewKey) {
  const auto one = make_token_issuer({}, ports);
  const auto other = make_token_issuer({}, ports);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->shared);
  EXPECT_NE(one->key, other->key);
}

TEST(TokenIssuer, TokensNameThisMachineByDefault) {
  const auto issuer = make_token_issuer({}, ports);
  ASSERT_TRUE(issuer);
  EXPECT_THAT(issuer->public_addresses, Contains(Address::v4(127, 0, 0, 1, 7777)));
  EXPECT_THAT(issuer->public_addresses, testing::Not(Contains(Address::v4(127, 0, 0, 1, 7778))));
  EXPECT_THAT(issuer->accepted, Contains(Address::v4(127, 0, 0, 1, 7778)));
}

TEST(TokenIssuer, PublicAddressesReplaceThoseOfThisMachine) {
  HostConfig config;
  config.public_addresses = {"192.0.2.1:9000", "[2001:db8::1]:9000"};
  const auto issuer = make_token_issuer(config, ports);
  ASSERT_TRUE(issuer);
  ASSERT_EQ(issuer->public_addresses.size(), 2u);
  EXPECT_EQ(issuer->public_addresses[0], Address::v4(192, 0, 2, 1, 9000));
  EXPECT_THAT(issuer->accepted, Contains(Address::v4(192, 0, 2, 1, 7778)));

  config.public_addresses = {"nonsense"};
  const auto refused = make_token_issuer(config, ports);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("--public-address: "));
}

TEST(TokenIssuer, APublicAddressWithoutAPortGetsTheListeningPort) {
  HostConfig config;
  config.public_addresses = {"192.0.2.1", "[2001:db8::1]"};
  const auto issuer = make_token_issuer(config, ports);
  ASSERT_TRUE(issuer);
  ASSERT_EQ(issuer->public_addresses.size(), 2u);
  EXPECT_EQ(issuer->public_addresses[0], Address::v4(192, 0, 2, 1, 7777));
  EXPECT_EQ(to_string(issuer->public_addresses[1]), "[2001:db8::1]:7777");
  EXPECT_THAT(issuer->accepted, Contains(Address::v4(192, 0, 2, 1, 7778)));
}

TEST(TokenIssuer, APublicAddressIsWrittenAsForAClient) {
  HostConfig config;
  config.public_addresses = {"localhost", "127.1:9000", "[::ffff:127.0.0.1]:7777", "wss://192.0.2.1/game",
                             "tcp://[::1]"};
  const auto issuer = make_token_issuer(config, {.udp = 9000, .tcp = 0, .websocket = 0});
  ASSERT_TRUE(issuer) << issuer.error().message;
  std::vector<std::string> named;
  for (const Address& address : issuer->public_addresses) named.push_back(to_string(address));
  EXPECT_THAT(named, testing::ElementsAre("127.0.0.1:9000", "127.0.0.1:7777", "192.0.2.1:443", "[::1]:9000"))
      << "each once";
  config.public_addresses = {"[fe80::1%eth0]:7777"};
  const auto refused = make_token_issuer(config, ports);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("--public-address: '[fe80::1%eth0]:7777' is not an address: "
                                                          "link-local addresses and scopes"));
}

TEST(TokenIssuer, TokensForAnyAddressOfAPublicNameAreAccepted) {
  HostConfig config;
  config.public_addresses = {"localhost"};
  const auto issuer = make_token_issuer(config, ports);
  ASSERT_TRUE(issuer);
  EXPECT_THAT(issuer->public_addresses, testing::ElementsAre(Address::v4(127, 0, 0, 1, 7777)));
  const auto all = net::resolve_all({.host = "localhost", .port = 7777});
  ASSERT_TRUE(all);
  for (Address address : *all) {
    EXPECT_THAT(issuer->accepted, Contains(address));
    address.port = ports.websocket;
    EXPECT_THAT(issuer->accepted, Contains(address));
  }
}

TEST(TokenIssuer, WithASharedKeyTheServerIssuesNoTokens) {
  const fs::path file = fs::temp_directory_path() / ("mobula_admission." + std::to_string(::getpid()));
  const auto key = process::create_key_file(file.string());
  ASSERT_TRUE(key);
  HostConfig config;
  config.key_file = file.string();
  const auto issuer = make_token_issuer(config, ports);
  fs::remove(file);
  ASSERT_TRUE(issuer);
  EXPECT_TRUE(issuer->shared);
  EXPECT_EQ(issuer->key, *key);
  EXPECT_FALSE(token_source(*issuer)) << "the server issues no tokens";
  EXPECT_FALSE(make_token_issuer(config, ports)) << "the file does not exist";
}

TEST(TokenIssuer, IssuedTokensAreValidAndDistinct) {
  const auto issuer = make_token_issuer({}, ports);
  const auto tokens = token_source(*issuer)(3, "anna");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 3u);
  EXPECT_NE((*tokens)[0], (*tokens)[1]);
  for (const core::Bytes& bytes : *tokens) {
    const auto token = transport::read_token(bytes);
    ASSERT_TRUE(token);
    EXPECT_EQ(token->servers, issuer->public_addresses);
    EXPECT_GT(token->expire_time, core::unix_now());
  }
}

}  // namespace
}  // namespace mobula::server

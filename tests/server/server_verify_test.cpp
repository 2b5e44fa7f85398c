// Clients that say of their mirrors what is not so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class ServerVerifyTest : public testing::Test {
 protected:
  explicit ServerVerifyTest(ServerConfig config = {.verify_one_in = 0}) : village(game, std::move(config)) {}

  static transport::ClientConfig client_config() {
    transport::ClientConfig config;
    config.token = test::test_token(77);
    return config;
  }
  void tick() {
    endpoint.update(village.now, port);
    village.network.deliver(village.now,
                            [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
                              if (to == port.from) endpoint.receive(from, datagram, village.now);
                              if (to == test::village_address)
                                village.server->receive(from, datagram, village.now, village.server_port);
                            });
    village.tick();
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  void say(const wire::Message& message) { ASSERT_TRUE(endpoint.session().send_reliable(wire::encode(message)).ok()); }
  void join(bool verify) {
    for (int i = 0; i < 50 && !endpoint.connected(); ++i) tick();
    say(wire::Hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "eve", .verify = verify});
    ticks(10);
    ASSERT_EQ(village.server->players(), 1u);
  }
  std::vector<wire::MirrorCorrection> corrections() {
    std::vector<wire::MirrorCorrection> found;
    core::Bytes bytes;
    while (endpoint.session().next_reliable(bytes)) {
      const core::Result<wire::Message> message = wire::decode_message(bytes);
      if (const auto* correction = std::get_if<wire::MirrorCorrection>(&message.value())) found.push_back(*correction);
    }
    return found;
  }
  [[nodiscard]] std::uint64_t refused(const std::string& reason) const {
    const auto found = village.server->stats().refusals.find(reason);
    return found == village.server->stats().refusals.end() ? 0 : found->second;
  }
  static wire::MirrorHashes ghost() {
    return {.of_level = false, .first = 0, .end = ~0u, .tick = 1, .hashes = {{900, {77, 5}, 1, 1}}};
  }
  static wire::MirrorDifference difference() { return {{77, 5}, "Body", "tint", "1", "2"}; }

  test::TinyGame game;
  test::Village village;
  test::Village::Port port{village, transport::Address::v4(10, 9, 0, 1, 4000)};
  transport::ClientEndpoint endpoint{client_config(), village.now};
};

TEST_F(ServerVerifyTest, WhoIsNotVerifiedHasNothingToCompare) {
  join(false);
  say(ghost());
  say(difference());
  ticks(5);
  EXPECT_EQ(refused("not verified"), 1u);
  EXPECT_EQ(refused("not asked for"), 1u);
  EXPECT_TRUE(corrections().empty());
  EXPECT_FALSE(endpoint.closed());
}

TEST_F(ServerVerifyTest, SoManyListsASecondAndAsManyDifferencesAsThereMayBe) {
  join(true);
  for (int i = 0; i < 15; ++i) say(ghost());
  ticks(5);
  EXPECT_EQ(corrections().size(), Session::comparisons_per_second_max);
  EXPECT_EQ(refused("too many hashes"), 15u - Session::comparisons_per_second_max);
  EXPECT_EQ(village.server->stats().corrections, 0u);
  const std::uint32_t awaited = Session::comparisons_per_second_max * wire::max_mirror_differences;
  testing::internal::CaptureStderr();
  for (std::uint32_t i = 0; i < awaited + 3; ++i) say(difference());
  ticks(20);
  EXPECT_EQ(refused("not asked for"), 3u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("mirror of player 1: entity 77.5, Body tint: 1 there, 2 here"));
  ticks(20);
  say(ghost());
  ticks(5);
  EXPECT_EQ(corrections().size(), 1u);
}

TEST_F(ServerVerifyTest, BeforeHelloNothingIsCompared) {
  for (int i = 0; i < 50 && !endpoint.connected(); ++i) tick();
  say(ghost());
  ticks(10);
  EXPECT_TRUE(endpoint.closed());
  EXPECT_EQ(endpoint.reason().code, transport::ReasonCode::protocol_error);
}

}  // namespace
}  // namespace mobula::server

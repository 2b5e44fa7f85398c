// Clients that report wrong hashes of their mirrors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>
#include <server/raw_guest.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class ServerVerifyTest : public testing::Test {
 protected:
  explicit ServerVerifyTest(ServerConfig config = {.verify_one_in = 0}) : village(game, std::move(config)) {}

  void send(const wire::Message& message) { guest.send(wire::encode(message)); }
  void join(bool verify) {
    ASSERT_TRUE(guest.connect());
    send(wire::Hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "eve", .verify = verify});
    guest.ticks(10);
    ASSERT_EQ(village.server->players(), 1u);
  }
  std::vector<wire::MirrorCorrection> corrections() {
    std::vector<wire::MirrorCorrection> found;
    core::Bytes bytes;
    while (guest.endpoint.session().next_reliable(bytes)) {
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
  test::RawGuest guest{village};
};

TEST_F(ServerVerifyTest, AnUnverifiedClientsHashesAreRefused) {
  join(false);
  send(ghost());
  send(difference());
  guest.ticks(5);
  EXPECT_EQ(refused("not verified"), 1u);
  EXPECT_EQ(refused("not asked for"), 1u);
  EXPECT_TRUE(corrections().empty());
  EXPECT_FALSE(guest.endpoint.closed());
}

TEST_F(ServerVerifyTest, HashesAndDifferencesAreLimited) {
  join(true);
  for (int i = 0; i < 15; ++i) send(ghost());
  guest.ticks(5);
  EXPECT_EQ(corrections().size(), ClientReplication::comparisons_per_second_max);
  EXPECT_EQ(refused("too many hashes"), 15u - ClientReplication::comparisons_per_second_max);
  EXPECT_EQ(village.server->stats().corrections, 0u);
  const std::uint32_t awaited = ClientReplication::comparisons_per_second_max * wire::max_mirror_differences;
  testing::internal::CaptureStderr();
  for (std::uint32_t i = 0; i < awaited + 3; ++i) send(difference());
  guest.ticks(20);
  EXPECT_EQ(refused("not asked for"), 3u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("mirror of player 1: entity 77.5, Body tint: 1 in the mirror, 2 on the server"));
  guest.ticks(20);
  send(ghost());
  guest.ticks(5);
  EXPECT_EQ(corrections().size(), 1u);
}

TEST_F(ServerVerifyTest, HashesBeforeHelloCloseTheSession) {
  for (int i = 0; i < 50 && !guest.endpoint.connected(); ++i) guest.tick();
  send(ghost());
  guest.ticks(10);
  EXPECT_TRUE(guest.endpoint.closed());
  EXPECT_EQ(guest.endpoint.reason().code, transport::ReasonCode::protocol_error);
}

}  // namespace
}  // namespace mobula::server

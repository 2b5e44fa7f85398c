#include <gtest/gtest.h>

#include <mobula/server/agones/game_server_address.hpp>
#include <server/agones/sidecar_twin.hpp>

namespace mobula::agones {
namespace game_server_address_test {

using test::SidecarTwin;

GameServer server_at(std::string address) {
  return {.state = "Scheduled", .address = std::move(address), .ports = {{"web", 8080}, {"game", 7412}}};
}

TEST(PublicAddress, IsTheHostsPortOfAName) {
  EXPECT_EQ(*public_address(server_at("203.0.113.5"), "game"), "203.0.113.5:7412");
  EXPECT_EQ(*public_address(server_at("node.example"), "game"), "node.example:7412");
  EXPECT_EQ(*public_address(server_at("2001:db8::5"), "game"), "[2001:db8::5]:7412");
  EXPECT_EQ(*public_address(server_at("203.0.113.5"), ""), "203.0.113.5:8080");
}

TEST(PublicAddress, IsMissingBeforeAgonesHasChosenIt) {
  EXPECT_STREQ(public_address(server_at(""), "game").error().reason, "no address");
  EXPECT_STREQ(public_address({.state = "Creating", .address = "203.0.113.5"}, "").error().reason, "no address");
}

TEST(PublicAddress, RefusesAPortThatTheResourceDoesNotDeclare) {
  const core::Result<std::string> address = public_address(server_at("203.0.113.5"), "udp");
  ASSERT_FALSE(address.ok());
  EXPECT_STREQ(address.error().reason, "no port");
  EXPECT_NE(address.error().message.find("'udp'"), std::string::npos);
}

TEST(WaitForAddress, WaitsForTheSidecarAndTheAddress) {
  SidecarTwin twin(false);
  twin.with_model([](test::SidecarModel& model) { model.address.clear(); });
  std::thread later([&] {
    twin.start();
    while (twin.bodies("/gameserver").empty()) std::this_thread::yield();
    twin.with_model([](test::SidecarModel& model) { model.address = "203.0.113.5"; });
  });
  const core::Result<std::string> address = wait_for_address(twin.url(), "game", 20 * core::second);
  later.join();
  ASSERT_TRUE(address.ok()) << address.error().message;
  EXPECT_EQ(*address, "203.0.113.5:7412");
}

TEST(WaitForAddress, EndsAfterItsTime) {
  const SidecarTwin twin(false);
  const core::Nanoseconds begin = core::monotonic_now();
  const core::Result<std::string> address = wait_for_address(twin.url(), "game", core::second / 3);
  ASSERT_FALSE(address.ok());
  EXPECT_STREQ(address.error().reason, "no address");
  EXPECT_LT(core::monotonic_now() - begin, 10 * core::second);
}

TEST(WaitForAddress, AMissingPortIsNotWaitedFor) {
  SidecarTwin twin;
  const core::Result<std::string> address = wait_for_address(twin.url(), "udp", 600 * core::second);
  ASSERT_FALSE(address.ok());
  EXPECT_STREQ(address.error().reason, "no port");
}

TEST(WaitForAddress, ASilentSidecarIsGivenUp) {
  SidecarTwin twin;
  twin.set_trouble(test::Trouble::silent);
  EXPECT_STREQ(wait_for_address(twin.url(), "game", core::second / 3).error().reason, "no address");
}

}  // namespace game_server_address_test
}  // namespace mobula::agones

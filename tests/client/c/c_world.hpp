// A village with the demo's level, and a client of the C interface in it.
#pragma once

#include <gtest/gtest.h>

#include <client/c/guest.hpp>
#include <examples/demo/demo_game.hpp>
#include <memory>
#include <mobula/core/log.hpp>

namespace mobula::test {

class CWorld : public testing::Test {
 protected:
  void SetUp() override { core::set_log_level(core::LogLevel::off); }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }

  static server::ServerConfig with_hamlet() {
    server::ServerConfig config;
    config.level = hamlet();
    config.verify_one_in = 1;
    return config;
  }
  Guest& join(std::uint32_t flags = 0) {
    guest = std::make_unique<Guest>(village, flags);
    return *guest;
  }
  // Joins, and ticks until the mirror is complete.
  void play(std::uint32_t flags = 0) { ASSERT_TRUE(join(flags).play()) << guest->reason().second; }
  [[nodiscard]] mobula_client client() const { return guest->client(); }
  [[nodiscard]] const ecs::Registry& world() const { return village.server->world().registry(); }

  demo::DemoGame game;
  Village village{game, with_hamlet()};
  std::unique_ptr<Guest> guest;
};

}  // namespace mobula::test

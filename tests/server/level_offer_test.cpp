#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mobula/server/game/demo_game.hpp>
#include <server/hamlet.hpp>

namespace mobula::server {
namespace {

namespace fs = std::filesystem;

// The demo's village of ten thousand entities, of which some walk about from the first tick on.
class LevelOfferTest : public testing::Test {
 protected:
  LevelOfferTest() {
    fs::remove_all(folder_);
    store_ = *client::ResourceStore::open(folder_.string());
    auto reception = store_->receive(level->identity(), level->clients_bytes().size());
    EXPECT_TRUE(*reception->append(0, level->clients_bytes()));
  }
  ~LevelOfferTest() override { fs::remove_all(folder_); }

  static ServerConfig with_level() {
    ServerConfig config;
    config.level = test::village();
    return config;
  }
  test::Village::Client& join(test::Village& village, bool has_level) {
    return village.join(client::ConnectionConfig{.transport = {},
                                                 .name = has_level ? "has it" : "has not",
                                                 .schema = test::game_schema(),
                                                 .resources = has_level ? &*store_ : nullptr});
  }
  static std::uint64_t bytes(const test::Village::Client& client) {
    return client.connection.session().stats().bytes_received;
  }

  const std::shared_ptr<const resource::Resource> level = test::village();

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("mobula_level_offer." + std::to_string(::getpid()));
  std::optional<client::ResourceStore> store_;
};

TEST_F(LevelOfferTest, WhoHasTheLevelIsToldWhatIsNoLongerAsInItAndMirrorsTheSame) {
  demo::DemoGame game;
  test::Village village(game, with_level(), {.latency = 30 * core::millisecond, .loss_ppm = 20'000});
  village.ticks(40);
  test::Village::Client& has = join(village, true);
  ASSERT_TRUE(village.tick_until([&] { return has.connection.complete(); }));
  const std::uint64_t cost = bytes(has);
  test::Village::Client& has_not = join(village, false);
  ASSERT_TRUE(village.tick_until([&] { return has_not.connection.complete(); }));
  EXPECT_LT(cost, 16u * 1024);
  EXPECT_LT(cost * 8, bytes(has_not));

  for (int i = 0; i < 100; ++i) {
    village.tick();
    if (i % 10 == 0)
      village.server->world().registry().destroy(
          village.server->published().entity(900u + static_cast<std::uint32_t>(i)).entity);
  }
  has.connection.mirror()->check();
  EXPECT_GT(has.connection.stats().verified_ticks, 50u);
  EXPECT_EQ(has.connection.stats().mismatched_ticks, 0u);
  EXPECT_EQ(has_not.connection.stats().mismatched_ticks, 0u);
  EXPECT_EQ(has.connection.mirror()->size(), has_not.connection.mirror()->size());
}

}  // namespace
}  // namespace mobula::server

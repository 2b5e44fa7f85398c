#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <headless/entity_listing.hpp>
#include <mobula/core/log.hpp>
#include <server/hamlet.hpp>
#include <sstream>

namespace mobula::client {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

server::ServerConfig hamlet_config() {
  server::ServerConfig config;
  config.level = test::hamlet();
  return config;
}

// A player in the hamlet with a complete mirror.
class EntityListing : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(village.tick_until(
        [&] { return client.connection.complete() && client.connection.player_entity() != ecs::null_entity; }));
    ASSERT_TRUE(mirror().registry().valid(player()));
  }
  Mirror& mirror() { return *client.connection.mirror(); }
  [[nodiscard]] ecs::Entity player() const { return client.connection.player_entity(); }
  std::string property(const std::string& path) {
    const auto text = describe_property(mirror(), to_string(player()) + path);
    return text ? *text : std::string(text.error().reason) + ": " + text.error().message;
  }

  demo::DemoGame game;
  test::Village village{game, hamlet_config()};
  test::Village::Client& client = village.join("ada");
};

TEST_F(EntityListing, EntitiesAreListedByPrototype) {
  const std::string all = describe_entities(mirror(), 100);
  const std::string number = std::to_string(mirror().size());
  EXPECT_THAT(all, StartsWith(number + " entities of "));
  EXPECT_THAT(all, HasSubstr(to_string(player())));
  EXPECT_THAT(all, HasSubstr("2 × Body (RenderData), Fog (RenderData)"));
  EXPECT_THAT(all, Not(HasSubstr(" more\n")));
  std::istringstream lines(all);
  std::size_t sum = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find(" × ") != std::string::npos) sum += std::stoul(line);
  EXPECT_EQ(sum, mirror().size());

  const std::string one = describe_entities(mirror(), 1);
  const std::size_t most = std::stoul(one.substr(one.find("\n\n") + 2));
  EXPECT_THAT(one, testing::EndsWith("\nand " + std::to_string(mirror().size() - most) + " more\n"));
  EXPECT_THAT(one, HasSubstr(" …\n")) << "long lists of handles are cut";
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 6);
}

TEST_F(EntityListing, AnEntityShowsValuesTypesAndRanges) {
  const auto text = describe_properties(mirror(), player());
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, StartsWith("entity " + to_string(player()) + ": "));
  EXPECT_THAT(*text, HasSubstr("\nHealth\n"));
  EXPECT_THAT(*text, testing::ContainsRegex("  position.x +-?[0-9.]+ +float32, -512 to 512 in steps of 0.002\n"));
  EXPECT_THAT(*text, testing::ContainsRegex("  text +\"ada\" +text of at most 24 bytes\n"));
  EXPECT_THAT(*text, testing::ContainsRegex("  color +\"[a-z]+\" +one of neutral, red, blue, green\n"));
  EXPECT_THAT(*text, testing::ContainsRegex("  items +\\[\\] +at most 8 × uint8\n"));
  EXPECT_THAT(*text, testing::ContainsRegex("  mesh +[0-9]+ +name, known by its hash only\n"));
}

TEST_F(EntityListing, APropertyIsPrintedAlone) {
  EXPECT_EQ(property("/Name/text"), "\"ada\"\n");
  EXPECT_EQ(property("/Health/maximum"), "100\n");
  EXPECT_EQ(property("/Health"), "{\"current\":100,\"maximum\":100}\n");
}

TEST_F(EntityListing, MissingOrUnsentValuesAreErrors) {
  EXPECT_THAT(property("/Helth/maximum"), HasSubstr("did you mean 'Health'?"));
  EXPECT_THAT(property("/Health/maximun"), HasSubstr("did you mean 'maximum'?"));
  EXPECT_EQ(property("/Inventory/items"), "[]\n") << "the player owns it";
  test::Village::Client& other = village.join("bob");
  ASSERT_TRUE(village.tick_until([&] { return mirror().registry().valid(other.connection.player_entity()); }));
  for (const char* path : {"/Inventory/items", "/Inventory/items[0]", "/Inventory"}) {
    const auto text = describe_property(mirror(), to_string(other.connection.player_entity()) + path);
    ASSERT_FALSE(text.ok()) << path;
    EXPECT_STREQ(text.error().reason, "not sent") << path;
  }
  EXPECT_THAT(property(""), StartsWith("bad address: "));
  const ecs::Entity stale{player().index, player().generation + 1};
  EXPECT_STREQ(describe_properties(mirror(), stale).error().reason, "not seen");
  EXPECT_STREQ(describe_property(mirror(), to_string(stale) + "/Health").error().reason, "not seen");
}

// A complete mirror has every entity that the server had published by its tick, despite losses.
TEST(Complete, ACompleteMirrorLacksNothing) {
  core::set_log_level(core::LogLevel::warn);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    demo::DemoGame game;
    test::Village village(game, hamlet_config(),
                          {.latency = 30 * core::millisecond, .jitter = 20 * core::millisecond, .loss_ppm = 200'000},
                          seed);
    test::Village::Client& client = village.join();
    ASSERT_TRUE(village.tick_until([&] { return client.connection.complete(); }, 2000));
    const Mirror& mirror = *client.connection.mirror();
    const server::Published& published = village.server->published();
    for (std::uint32_t index = 0; index < published.index_end(); ++index) {
      const server::PublishedEntity& published_entity = published.entity(index);
      if (!published_entity.entity || published_entity.structure_tick > mirror.tick()) continue;
      ASSERT_TRUE(mirror.registry().valid(published_entity.entity)) << to_string(published_entity.entity);
    }
  }
  core::set_log_level(core::LogLevel::info);
}

}  // namespace
}  // namespace mobula::client

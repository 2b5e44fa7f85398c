// Levels that the demo accepts or refuses.
#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <mobula/core/format.hpp>
#include <resource/test_level.hpp>
#include <string>

namespace demo {
namespace {

namespace core = mobula::core;

// Returns a level with all prefabs that the demo spawns. One prefab lacks a component, or has it under another name.
core::Status check_without(std::string_view prefab = "", std::string_view component = "",
                           const std::string& instead = "") {
  std::string prefabs;
  for (const std::string name : {"avatar", "coin", "medkit", "key"}) {
    std::string components;
    for (const std::string each : {"Transform", name == "avatar" ? "Avatar" : "Pickup", "Name"})
      if (name != prefab || each != component)
        components += (components.empty() ? "" : ",") + core::format(R"("{}":{{}})", each);
    if (name == prefab) components += instead;
    prefabs += (prefabs.empty() ? "" : ",") +
               core::format(R"("{}":{{"spawnable":true,"components":{{{}}}}})", name, components);
  }
  DemoGame game;
  return game.check_level(mobula::test::load_text(R"({"prefabs":{)" + prefabs + "}}").get());
}

TEST(DemoLevel, IsRefusedIfWhatItSpawnsLacksWhatTheGameNeeds) {
  EXPECT_TRUE(check_without());
  EXPECT_TRUE(check_without("coin", "Name")) << "nobody needs it";
  constexpr std::pair<const char*, const char*> needed[] = {
      {"avatar", "Transform"}, {"avatar", "Avatar"}, {"avatar", "Name"},   {"coin", "Transform"}, {"coin", "Pickup"},
      {"medkit", "Transform"}, {"medkit", "Pickup"}, {"key", "Transform"}, {"key", "Pickup"}};
  for (const auto& [prefab, component] : needed) {
    const core::Status playable = check_without(prefab, component);
    ASSERT_FALSE(playable.ok()) << prefab << ' ' << component;
    EXPECT_STREQ(playable.error().reason, "incomplete prefab");
    EXPECT_EQ(
        playable.error().message,
        core::format("the demo needs a level whose prefab \"{}\" has a component {} of that name", prefab, component));
  }
  EXPECT_FALSE(check_without("avatar", "Name", R"(,"Title":{"$type":"Name"})")) << "it is not called Name";
}

}  // namespace
}  // namespace demo

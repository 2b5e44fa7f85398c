#include <gtest/gtest.h>

#include <mobula/core/format.hpp>
#include <mobula/index/name_table.hpp>
#include <unordered_map>

namespace mobula::index {
namespace {

TEST(NameTable, FindsTheTextBehindAHash) {
  NameTable table;
  const auto id = table.add("Fog");
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, core::StringId32(std::string_view("Fog")));
  EXPECT_EQ(table.text(*id), "Fog");
  EXPECT_TRUE(table.contains(*id));
  EXPECT_EQ(table.size(), 1u);
}

TEST(NameTable, AnUnknownHashIsEightHexDigits) {
  const NameTable table;
  EXPECT_EQ(table.text(core::StringId32(0x2a)), "0000002a");
  EXPECT_FALSE(table.contains(core::StringId32(0x2a)));
}

TEST(NameTable, AddingANameAgainIsFine) {
  NameTable table;
  const auto first = table.add("Body");
  EXPECT_EQ(*table.add("Body"), *first);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_TRUE(table.add(""));
  EXPECT_EQ(table.text(core::StringId32(std::string_view(""))), "");
}

// Among 200,000 names some two share a 32-bit hash. The test finds them, so that it needs no magic text.
TEST(NameTable, TwoTextsOfOneHashAreRefusedAndTheFirstStays) {
  std::unordered_map<core::StringId32, std::string> seen;
  std::string first;
  std::string second;
  for (int number = 0; number < 1'000'000 && first.empty(); ++number) {
    std::string name = core::format("n{}", number * 7919);
    const auto [place, added] = seen.try_emplace(core::StringId32(name), name);
    if (added) continue;
    first = place->second;
    second = std::move(name);
  }
  ASSERT_NE(first, second);
  NameTable table;
  ASSERT_TRUE(table.add(first));
  const auto refused = table.add(second);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().reason, "name collision");
  EXPECT_NE(refused.error().message.find(first), std::string::npos);
  EXPECT_NE(refused.error().message.find(second), std::string::npos);
  EXPECT_EQ(table.text(core::StringId32(second)), first);
  EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace mobula::index

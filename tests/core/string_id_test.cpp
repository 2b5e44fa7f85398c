#include <gtest/gtest.h>

#include <mobula/core/string_id.hpp>
#include <unordered_set>

namespace mobula::core {
namespace {

// Values from the FNV reference test suite.
static_assert(StringId32(std::string_view("")).value == 0x811c9dc5u);
static_assert(StringId32(std::string_view("a")).value == 0xe40c292cu);
static_assert(StringId32(std::string_view("foobar")).value == 0xbf9cf968u);

TEST(StringId, IsFnv1aAtCompileAndRunTime) {
  const std::string text = "foobar";
  EXPECT_EQ(StringId32(text).value, 0xbf9cf968u);
  EXPECT_EQ(StringId32(std::string("a")).value, 0xe40c292cu);
}

TEST(StringId, HashesEveryByteAsUnsigned) {
  EXPECT_EQ(StringId32(std::string_view("\xc3\xa4")).value, ((0x811c9dc5u ^ 0xc3u) * 16777619u ^ 0xa4u) * 16777619u);
  EXPECT_NE(StringId32(std::string_view("a\0b", 3)), StringId32(std::string_view("a")));
}

TEST(StringId, TextIsEightHexDigits) {
  EXPECT_EQ(to_string(StringId32(std::string_view(""))), "811c9dc5");
  EXPECT_EQ(to_string(StringId32(0xab)), "000000ab");
  EXPECT_EQ(to_string(StringId32()), "00000000");
}

TEST(StringId, OrdersAndHashesByItsValue) {
  EXPECT_LT(StringId32(1), StringId32(0x80000000u));
  const std::unordered_set<StringId32> ids{StringId32(1), StringId32(2), StringId32(1)};
  EXPECT_EQ(ids.size(), 2u);
}

}  // namespace
}  // namespace mobula::core

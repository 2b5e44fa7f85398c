#include <gtest/gtest.h>

#include <mobula/core/name.hpp>
#include <string>

namespace mobula::core {
namespace {

TEST(Name, IsShortAndPlain) {
  for (const char* name : {"a", "lobby-2", "EU.west_1", "7"}) EXPECT_TRUE(is_good_name(name)) << name;
  for (const std::string& name :
       {std::string(), std::string("-a"), std::string("a/b"), std::string("a b"), std::string(65, 'a')})
    EXPECT_FALSE(is_good_name(name)) << name;
}

TEST(Name, ARefusalSaysTheRule) {
  EXPECT_TRUE(check_name("a"));
  const Status refused = check_name("a b");
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().reason, "bad name");
  EXPECT_EQ(refused.error().message,
            "'a b' is no name; expected 1 to 64 letters, digits, '-', '_' and '.', beginning with a letter or digit");
}

}  // namespace
}  // namespace mobula::core

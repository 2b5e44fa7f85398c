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

}  // namespace
}  // namespace mobula::core

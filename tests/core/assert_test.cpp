#include <gtest/gtest.h>

#include <mobula/core/assert.hpp>
#include <mobula/core/log.hpp>
#include <string>

namespace mobula::core {
namespace {

void fail_a_check() { MOBULA_CHECK(1 + 1 == 3, "sums are odd"); }

// Without a report of the process.
TEST(AssertDeathTest, ACheckNamesPlaceMessageAndFields) {
  const LogScope world({.world = "main", .tick = 12});
  EXPECT_DEATH(fail_a_check(), "^failure *.*assert_test.cpp:.+: check failed: sums are odd *world=main tick=12\n");
}

TEST(Assert, ACheckThatHoldsBuildsNoMessage) {
  const auto no_message = []() -> std::string {
    ADD_FAILURE();
    return {};
  };
  MOBULA_CHECK(true, no_message());
}

}  // namespace
}  // namespace mobula::core

#include <gtest/gtest.h>

#include <mobula/core/log_limit.hpp>

namespace mobula::core {
namespace {

TEST(LogLimit, AdmitsLinesPerSecondAndReportsTheRest) {
  LogLimit limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.admit(100 * i * millisecond));
  EXPECT_EQ(limit.more(), "");
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(limit.admit(999 * millisecond));
  EXPECT_TRUE(limit.admit(second));
  EXPECT_EQ(limit.more(), " (and 7 more like it)");
  EXPECT_EQ(limit.more(), "") << "reported once";
}

TEST(LogLimit, IdleTimeGivesNoCredit) {
  LogLimit limit(2);
  EXPECT_TRUE(limit.admit(1000 * second));
  EXPECT_TRUE(limit.admit(1000 * second));
  EXPECT_FALSE(limit.admit(1000 * second + millisecond));
}

}  // namespace
}  // namespace mobula::core

#include <gtest/gtest.h>

#include <memory>
#include <mobula/core/result.hpp>

namespace mobula::core {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{"odd", "odd numbers have no half"};
  return number / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 4);
  EXPECT_EQ(good.value(), 4);
  const Result<int> bad = half(7);
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(bad);
  EXPECT_STREQ(bad.error().reason, "odd");
  EXPECT_EQ(bad.error().message, "odd numbers have no half");
}

TEST(Result, GivesAccessToItsValueAndCanBeAssigned) {
  const Result<std::string> text(std::string("fine"));
  EXPECT_EQ(text->size(), 4u);
  Status status = Done{};
  EXPECT_TRUE(status);
  status = Error{"late", ""};
  EXPECT_FALSE(status);
}

TEST(Result, MovesMoveOnlyValues) {
  Result<std::unique_ptr<int>> made(std::make_unique<int>(3));
  const std::unique_ptr<int> moved = std::move(*made);
  EXPECT_EQ(*moved, 3);
}

TEST(ResultDeathTest, EveryBuildStopsAtAccessToTheOtherState) {
  Result<std::string> bad(Error{"odd", "odd numbers have no half"});
  const Result<std::string> fixed = bad;
  const std::string message = "check failed: value of a failed Result: odd: odd numbers have no half";
  EXPECT_DEATH(static_cast<void>(bad.value()), message);
  EXPECT_DEATH(static_cast<void>(fixed.value()), message);
  EXPECT_DEATH(static_cast<void>(*bad), message);
  EXPECT_DEATH(static_cast<void>(*fixed), message);
  EXPECT_DEATH(static_cast<void>(bad->size()), message);
  EXPECT_DEATH(static_cast<void>(fixed->size()), message);
  EXPECT_DEATH(static_cast<void>(half(8).error()), "check failed: error of a Result that holds a value");
}

}  // namespace
}  // namespace mobula::core

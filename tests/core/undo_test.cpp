#include <gtest/gtest.h>

#include <mobula/core/undo.hpp>
#include <stdexcept>

namespace mobula::core {
namespace {

TEST(Undo, IsDoneWhenAnExceptionLeavesTheFunction) {
  int undone = 0;
  const auto fails = [&] {
    Undo undo([&] { ++undone; });
    throw std::runtime_error("no room");
  };
  EXPECT_THROW(fails(), std::runtime_error);
  EXPECT_EQ(undone, 1);
}

TEST(Undo, IsNotDoneOnceDismissed) {
  int undone = 0;
  {
    Undo undo([&] { ++undone; });
    undo.dismiss();
  }
  EXPECT_EQ(undone, 0);
}

}  // namespace
}  // namespace mobula::core

#include <gtest/gtest.h>

#include <array>
#include <mobula/core/did_you_mean.hpp>

namespace mobula::core {
namespace {

TEST(DidYouMean, OnlyNearNamesAreOffered) {
  const std::array<std::string_view, 3> known{"Health", "Transform", "Fog"};
  EXPECT_EQ(did_you_mean("Helth", known), " (did you mean 'Health'?)");
  EXPECT_EQ(did_you_mean("transform", known), " (did you mean 'Transform'?)");
  EXPECT_EQ(did_you_mean("Inventory", known), "");
  EXPECT_EQ(did_you_mean("x", known), "");
  EXPECT_EQ(did_you_mean("Health", {}), "");
  EXPECT_EQ(did_you_mean(std::string(300, 'h'), known), "");
}

}  // namespace
}  // namespace mobula::core

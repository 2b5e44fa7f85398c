#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mobula/core/random_source.hpp>

namespace mobula::core::random_source_test {
namespace {

using Key = std::array<std::byte, 64>;

Key random_key() {
  Key key{};
  random_bytes(key);
  return key;
}

TEST(RandomSource, TheSystemsBytesFillAllAndDiffer) {
  const Key key = random_key();
  EXPECT_NE(key, random_key());
  EXPECT_TRUE(std::any_of(key.end() - 16, key.end(), [](std::byte byte) { return byte != std::byte{0}; }));
  random_bytes({});
}

TEST(RandomSource, IsReplacedAndRestored) {
  set_random_source([](MutableBytes out) { std::ranges::fill(out, std::byte{7}); });
  const Key first = random_key();
  EXPECT_EQ(first[63], std::byte{7});
  EXPECT_EQ(random_key(), first);
  set_random_source(nullptr);
  EXPECT_NE(random_key(), random_key());
}

}  // namespace
}  // namespace mobula::core::random_source_test

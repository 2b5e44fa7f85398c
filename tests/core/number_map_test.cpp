#include <gtest/gtest.h>

#include <map>
#include <mobula/core/number_map.hpp>
#include <mobula/core/random.hpp>

namespace mobula::core {
namespace {

TEST(NumberMap, AnEmptyMapHasNothing) {
  NumberMap map;
  EXPECT_EQ(map.find(0), NumberMap::none);
  EXPECT_EQ(map.remove(0), NumberMap::none);
  EXPECT_EQ(map.size(), 0u);
}

// Few keys, so that their runs meet and wrap.
TEST(NumberMap, FindsAndRemovesLikeItsModel) {
  for (const std::uint32_t keys : {6u, 40u, 5000u}) {
    Random random(keys);
    NumberMap map;
    std::map<std::uint64_t, std::uint32_t> model;
    for (int step = 0; step < 50'000; ++step) {
      const std::uint64_t key = std::uint64_t{random.below(keys)} << 32 | random.below(3);
      const auto known = model.find(key);
      const std::uint32_t expected = known == model.end() ? NumberMap::none : known->second;
      ASSERT_EQ(map.find(key), expected) << "seed " << keys << ", step " << step;
      if (random.chance(1, 2)) {
        ASSERT_EQ(map.remove(key), expected);
        model.erase(key);
      } else if (expected == NumberMap::none) {
        map.add(key, static_cast<std::uint32_t>(step));
        model[key] = static_cast<std::uint32_t>(step);
      }
      ASSERT_EQ(map.size(), model.size());
    }
    for (const auto& [key, value] : model) ASSERT_EQ(map.find(key), value);
  }
}

}  // namespace
}  // namespace mobula::core

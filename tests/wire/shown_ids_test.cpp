#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/wire/shown_ids.hpp>

namespace mobula::wire {
namespace {

TEST(ShownIds, BehaveLikeAMapUnderRandomChanges) {
  core::Random random(3);
  ShownIds shown;
  std::map<std::uint32_t, std::uint32_t> model;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const std::uint32_t index = random.below(300) * 4096;
    const auto found = model.find(index);
    ASSERT_EQ(shown.find(index), found == model.end() ? ShownIds::none : found->second);
    if (found != model.end() && random.chance(1, 2)) {
      model.erase(found);
      shown.erase(index);
    } else {
      model[index] = step;
      shown.set(index, step);
    }
  }
  for (const auto& [index, id] : model) EXPECT_EQ(shown.find(index), id);
}

}  // namespace
}  // namespace mobula::wire

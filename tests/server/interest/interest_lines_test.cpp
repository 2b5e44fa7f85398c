#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/interest/interest_lines.hpp>
#include <set>

namespace mobula::server {
namespace {

using engine::Vec3;

// Three lists that share lines, compared with maps.
class InterestLinesModel : public testing::Test {
 protected:
  static constexpr std::uint32_t entities = 60;
  struct At {
    std::uint32_t list;
    std::uint32_t slot;
    Vec3 position;
  };

  Vec3 anywhere() { return {random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9)}; }
  void push(std::uint32_t index) {
    const std::uint32_t list = random.below(3);
    const Vec3 position = anywhere();
    model[index] = {list, lines.push(lists[list], index, position), position};
  }
  void erase(std::uint32_t index) {
    const At erased = model[index];
    model.erase(index);
    const InterestLines::Moved moved = lines.erase(lists[erased.list], erased.slot);
    if (moved.index == InterestLines::none) return;
    ASSERT_EQ(model.count(moved.index), 1u);
    ASSERT_EQ(model[moved.index].list, erased.list);
    model[moved.index].slot = moved.slot;
  }
  void move(std::uint32_t index) {
    model[index].position = anywhere();
    lines.set_position(model[index].slot, model[index].position);
  }
  void expect_agreement() {
    std::size_t needed = 0;
    for (std::uint32_t list = 0; list < 3; ++list) {
      std::map<std::uint32_t, std::uint32_t> found;
      lines.each(lists[list], [&](std::uint32_t index, std::uint32_t slot) {
        EXPECT_TRUE(found.emplace(index, slot).second) << "none twice";
      });
      ASSERT_EQ(found.size(), lists[list].size);
      needed += (found.size() + InterestLines::lanes - 1) / InterestLines::lanes;
      for (const auto& [index, slot] : found) {
        ASSERT_EQ(model[index].list, list);
        ASSERT_EQ(model[index].slot, slot);
        ASSERT_EQ(lines.index(slot), index);
        ASSERT_EQ(lines.position(slot).y, model[index].position.y);
      }
      expect_near(list);
    }
    ASSERT_EQ(lines.size(), needed) << "no line is kept in vain";
  }
  void expect_near(std::uint32_t list) {
    const Vec3 viewpoint = anywhere();
    std::map<std::uint32_t, bool> expected;
    for (const auto& [index, at] : model) {
      const float x = at.position.x - viewpoint.x;
      const float y = at.position.y - viewpoint.y;
      const float z = at.position.z - viewpoint.z;
      const float squared = x * x + y * y + z * z;
      if (at.list == list && squared <= 100) expected[index] = squared <= 64;
    }
    std::map<std::uint32_t, bool> found;
    InterestLines::Hits hits;
    hits.count = InterestLines::Hits::capacity - random.below(8);  // nearly full of others
    const std::uint32_t others = hits.count;
    std::uint32_t skipped = others;
    const auto take = [&](InterestLines::Hits& full) {
      for (std::uint32_t i = std::exchange(skipped, 0); i < full.count; ++i)
        EXPECT_TRUE(found.emplace(full.index[i], full.squared[i] <= 64).second) << "none twice";
      full.count = 0;
    };
    lines.find_near(lists[list], viewpoint, 100, hits, take);
    take(hits);
    ASSERT_EQ(found, expected);
  }

  core::Random random{1};
  InterestLines lines;
  std::array<InterestLines::List, 3> lists;
  std::map<std::uint32_t, At> model;  // by index
};

TEST_F(InterestLinesModel, Agrees) {
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t index = random.below(entities);
    if (model.count(index) == 0) {
      push(index);
    } else if (random.chance(1, 2)) {
      erase(index);
    } else {
      move(index);
    }
    if (step % 8 == 0) expect_agreement();
    if (step % 1000 == 999) {
      const std::uint32_t cleared = random.below(3);
      lines.clear(lists[cleared]);
      std::erase_if(model, [&](const auto& each) { return each.second.list == cleared; });
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mobula::server

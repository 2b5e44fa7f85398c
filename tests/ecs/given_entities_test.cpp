#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/given_entities.hpp>

#include "ecs/allocations.hpp"

namespace mobula::ecs {
namespace {

TEST(GivenEntities, RandomHistoriesAgreeWithAMap) {
  for (const std::uint32_t index_end : {3u, 64u, 200u, 70'000u}) {
    SCOPED_TRACE(index_end);
    core::Random random(index_end);
    GivenEntities entities;
    std::map<std::uint32_t, std::uint32_t> model;  // generation by index
    std::uint32_t highest = 0;
    for (std::uint32_t step = 0; step < 20'000; ++step) {
      const std::uint32_t index = random.below(index_end);
      if (model.erase(index) > 0) {
        entities.remove(index);
      } else {
        entities.add(index, {step, 0});
        model[index] = step;
        highest = std::max(highest, index);
      }
      const EntitySlot* const found = entities.find(index);
      ASSERT_EQ(found != nullptr, model.contains(index));
      ASSERT_TRUE(found == nullptr || found->generation == step);
      const std::uint32_t from = random.below(index_end + 100);
      const auto next = model.lower_bound(from);
      ASSERT_EQ(entities.next(from), next == model.end() ? entities.end() : next->first);
      ASSERT_EQ(entities.end(), highest + 1);
      ASSERT_EQ(entities.size(), model.size());
      if (step % 1000 == 0) entities.check();
    }
    for (const auto& [index, generation] : model) {
      ASSERT_EQ(entities.slot(index).generation, generation);
      entities.slot(index).state = index;
    }
    for (const auto& [index, generation] : model) ASSERT_EQ(entities.slot(index).state, index);
    while (!model.empty()) {
      entities.remove(model.begin()->first);
      model.erase(model.begin());
    }
    entities.check();
    EXPECT_EQ(entities.next(0), entities.end());
  }
}

TEST(GivenEntities, AnAllocationThatFailsChangesNothing) {
  for (std::uint64_t nth = 1; nth < 8; ++nth) {
    GivenEntities entities;
    for (std::uint32_t i = 0; i < 16; ++i) entities.add(i * 7, {i, 0});
    try {
      const test::FailingAllocation failing(nth);
      entities.add(5000, {1, 0});
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(entities.find(5000), nullptr);
    }
    EXPECT_EQ(entities.find(5000) == nullptr ? 16u : 17u, entities.size());
    entities.check();
  }
}

}  // namespace
}  // namespace mobula::ecs

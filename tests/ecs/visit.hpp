// Visits a view or a group by each() and as a range.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "ecs/components.hpp"

namespace mobula::ecs::test {

// Visits both ways and expects equal results. Returns the sum of each entity's components.
template <class Walked>
std::map<Entity, std::int32_t> visit_both_ways(const Walked& walked) {
  std::map<Entity, std::int32_t> visited;
  walked.each([&](Entity entity, const auto&... components) {
    EXPECT_TRUE(visited.emplace(entity, (value_of(components) + ...)).second) << to_string(entity) << " twice";
    EXPECT_TRUE(walked.contains(entity));
  });
  std::map<Entity, std::int32_t> in_range;
  for (const auto element : walked) {
    std::apply(
        [&](Entity entity, const auto&... components) {
          EXPECT_TRUE(in_range.emplace(entity, (value_of(components) + ...)).second) << to_string(entity) << " twice";
        },
        element);
  }
  EXPECT_EQ(in_range, visited) << "each and range give the same";
  return visited;
}

}  // namespace mobula::ecs::test

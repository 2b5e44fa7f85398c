// A viewer of player 1 at the origin of a world whose entities are all published.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hierarchy/reference_hierarchy.hpp>
#include <mobula/server/interest/interest.hpp>
#include <vector>

namespace mobula::server {

class InterestTest : public testing::Test {
 protected:
  static constexpr std::uint8_t creatures = 0;
  static constexpr std::uint8_t landmarks = 1;
  static constexpr std::uint8_t ships = 2;

  explicit InterestTest(std::vector<Layer> layers = {{"creatures", 10, 12}, {"landmarks"}, {"ships", 100}})
      : interest(world, layers) {}

  ecs::Entity make(const engine::Vec3& position, const Relevance& relevance = {}) {
    const ecs::Entity entity = world.make(position);
    world.add<Relevance>(entity, relevance);
    interest.add(entity.index);
    return entity;
  }
  void destroy(ecs::Entity entity) {
    world.destroy(entity);
    interest.remove(entity.index);
  }
  engine::Vec3& position(ecs::Entity entity) { return world.get<engine::Transform>(entity).position; }
  Relevance& relevance(ecs::Entity entity) { return world.get<Relevance>(entity); }

  void end_tick() {
    hierarchy.update();
    interest.update();
    interest.check();
    world.next_tick();
  }
  // Ends the tick, queries visibility, updates what is visible. Returns the indices gained.
  std::vector<std::uint32_t> query() {
    end_tick();
    std::vector<std::uint32_t> gained;
    left.clear();
    interest.query_visibility(viewer, seen, gained, left);
    seen.insert(seen.end(), gained.begin(), gained.end());
    for (const std::uint32_t index : left) std::erase(seen, index);
    return gained;
  }

  hierarchy::test::World world;
  hierarchy::Hierarchy hierarchy{world};
  Interest interest;
  ecs::Entity me = make({});
  Viewer viewer{1, me};
  std::vector<std::uint32_t> seen;
  std::vector<std::uint32_t> left;
};

// Refuses one entity, and notes which it is asked about.
struct Blind : InterestRule {
  [[nodiscard]] bool may_see(const Viewer& /*viewer*/, ecs::Entity entity) const override {
    asked.push_back(entity.index);
    return entity.index != refused;
  }
  std::uint32_t refused = ~0u;
  mutable std::vector<std::uint32_t> asked;
};

}  // namespace mobula::server

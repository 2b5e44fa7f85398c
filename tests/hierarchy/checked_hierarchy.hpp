// A hierarchy whose updates are compared with a reference model.
#pragma once

#include <gtest/gtest.h>

#include <hierarchy/reference_hierarchy.hpp>
#include <mobula/hierarchy/hierarchy.hpp>

namespace mobula::hierarchy {

class HierarchyTest : public testing::Test {
 protected:
  void update() {
    hierarchy.update();
    hierarchy.check();
    test::expect_agreement(hierarchy, world);
  }
  [[nodiscard]] engine::Vec3 position(ecs::Entity entity) { return world.get<const WorldTransform>(entity).position; }
  void expect_refused(ecs::Entity child, ecs::Entity parent, const char* reason) {
    const auto* before = world.try_get<const engine::Parent>(child);
    const ecs::Entity named = before == nullptr ? ecs::null_entity : before->entity;
    const core::Status set = hierarchy.set_parent(child, parent);
    ASSERT_FALSE(set.ok());
    EXPECT_STREQ(set.error().reason, reason);
    const auto* after = world.try_get<const engine::Parent>(child);
    EXPECT_EQ(after == nullptr, before == nullptr);
    if (after != nullptr) {
      EXPECT_EQ(after->entity, named);
    }
  }

  test::World world;
  Hierarchy hierarchy{world};
};

}  // namespace mobula::hierarchy

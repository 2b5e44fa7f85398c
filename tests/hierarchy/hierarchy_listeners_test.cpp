// Listeners of WorldTransform that change the world while the hierarchy updates.
#include <hierarchy/checked_hierarchy.hpp>
#include <mobula/core/random.hpp>

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

class HierarchyListeners : public HierarchyTest {
 protected:
  // Calls function(entity) for each received entity, in a copy: the function may change the world.
  template <class Function>
  void on_construct(Function function) {
    world.signals<WorldTransform>().construct.connect(each(function));
  }
  template <class Function>
  void on_destroy(Function function) {
    world.signals<WorldTransform>().destroy.connect(each(function));
  }
  template <class Function>
  static auto each(Function function) {
    return [function](std::span<const Entity> received) {
      for (const Entity entity : std::vector<Entity>(received.begin(), received.end())) function(entity);
    };
  }
  // Destroys, moves and creates entities, and updates after each step.
  void play(std::uint64_t seed) {
    core::Random random(seed);
    for (int step = 0; step < 30; ++step) {
      world.next_tick();
      for (int i = 0; i < 10; ++i) made_.push_back(world.make({static_cast<float>(i), 0, 0}));
      for (int i = 0; i < 12; ++i) change(random);
      std::erase_if(made_, [&](Entity entity) { return !world.valid(entity); });
      update();
    }
  }

 private:
  void change(core::Random& random) {
    const auto any = [&] { return made_[random.below(static_cast<std::uint32_t>(made_.size()))]; };
    const Entity changed = any();
    const Entity other = any();
    if (!world.valid(changed)) return;
    switch (random.below(4)) {
      case 0: return world.destroy(changed);
      case 1: return hierarchy.destroy_tree(changed);
      case 2: return world.has<Transform>(changed) ? world.remove<Transform>(changed) : void();
      default: static_cast<void>(hierarchy.set_parent(changed, other));
    }
  }

  std::vector<Entity> made_;
};

TEST_F(HierarchyListeners, MayDestroyReceivedEntities) {
  on_construct([&](Entity entity) {
    if (entity.index % 3 == 0 && world.valid(entity)) world.destroy(entity);
  });
  play(1);
}

TEST_F(HierarchyListeners, MayRemoveTheTransformOfReceivedEntities) {
  on_construct([&](Entity entity) {
    if (entity.index % 3 == 0 && world.valid(entity)) world.remove<Transform>(entity);
  });
  play(2);
}

TEST_F(HierarchyListeners, MayCreateChildrenOfReceivedEntities) {
  on_construct([&](Entity entity) {
    if (!world.has<Parent>(entity)) world.make_below(entity);
  });
  play(3);
}

TEST_F(HierarchyListeners, MayReplaceReceivedEntities) {
  on_construct([&](Entity entity) {
    if (world.get<Transform>(entity).position.y > 0 || entity.index % 2 == 0) return;
    world.destroy(entity);
    world.make({0, 1, 0});
  });
  play(4);
}

TEST_F(HierarchyListeners, MayReplaceAnEntityWhoseTransformIsRemoved) {
  on_destroy([&](Entity entity) {
    if (entity.index % 3 != 0 || world.has<Transform>(entity)) return;
    world.destroy(entity);
    world.make();
  });
  play(5);
}

TEST_F(HierarchyListeners, MayGiveTheTransformBack) {
  on_destroy([&](Entity entity) {
    if (entity.index % 2 == 0 && !world.has<Transform>(entity)) world.add<Transform>(entity);
  });
  play(6);
}

TEST_F(HierarchyListeners, MayDestroyOthersThatArrive) {
  const Entity removed = world.make();
  update();
  const Entity arriving = world.make();
  on_destroy([&](Entity) {
    if (world.valid(arriving)) world.destroy(arriving);
  });
  world.remove<Transform>(removed);
  update();
  EXPECT_FALSE(world.valid(arriving));
}

TEST_F(HierarchyListeners, RemovingTheWorldTransformIsNamed) {
  on_construct([&](Entity entity) { world.remove<WorldTransform>(entity); });
  world.make();
  EXPECT_DEATH(hierarchy.update(), "a listener removes WorldTransform from entity 0.1: remove its Transform instead");
}

TEST_F(HierarchyListeners, CreatingWithoutEndIsNamed) {
  on_construct([&](Entity) { world.make(); });
  world.make();
  EXPECT_DEATH(hierarchy.update(), "listeners of WorldTransform call each other without end");
}

TEST_F(HierarchyListeners, AParentListenerMayDestroyTheChild) {
  const Entity parent = world.make({1, 0, 0});
  for (const bool destroys : {true, false}) {
    const Entity child = world.make({2, 0, 0});
    world.add<Parent>(child, {parent});
    update();
    const auto link = world.signals<Parent>().destroy.connect([&](std::span<const Entity> /*children*/) {
      destroys ? world.destroy(child) : world.remove<Transform>(child);
    });
    EXPECT_TRUE(hierarchy.set_parent_in_place(child, ecs::null_entity).ok());
    EXPECT_EQ(world.valid(child), !destroys);
    world.signals<Parent>().destroy.disconnect(link);
    update();
  }
}

}  // namespace
}  // namespace mobula::hierarchy

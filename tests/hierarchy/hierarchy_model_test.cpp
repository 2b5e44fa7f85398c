// Random histories, compared with a reference model of the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/sort.hpp>

#include "hierarchy/reference_hierarchy.hpp"
#include <seeds.hpp>

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

class History {
 public:
  History(const ecs::RegistryConfig& config, std::uint64_t seed) : world_(config), random_(seed) {}

  void run(std::uint64_t operations) {
    for (std::uint64_t i = 0; i < operations; ++i) {
      SCOPED_TRACE("operation " + std::to_string(i));
      operate();
      if (random_.chance(1, 4)) world_.next_tick();
      if (random_.chance(1, 3)) update();
      if (random_.chance(1, 10)) ask();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(refusals_, operations / 40) << "histories contain inconsistent parents";
    EXPECT_GT(set_, operations / 40);
    EXPECT_GT(not_set_, operations / 40);
  }

 private:
  using Operation = void (History::*)();

  void operate() {
    constexpr std::array<Operation, 20> operations{
        &History::create,          &History::create,        &History::create,           &History::destroy,
        &History::set_parent,      &History::set_parent,    &History::set_parent,       &History::set_parent_in_place,
        &History::write_parent,    &History::write_parent,  &History::write_chain,      &History::write_transform,
        &History::write_transform, &History::toggle_parent, &History::toggle_transform, &History::toggle_transform,
        &History::spawn,           &History::destroy_tree,  &History::destroy_some,     &History::reorder};
    (this->*operations[random_.below(operations.size())])();
  }

  void update() {
    hierarchy_.update();
    hierarchy_.check();
    test::expect_agreement(hierarchy_, world_);
    refusals_ += hierarchy_.refused().size();
  }

  // Checks queries between updates.
  void ask() {
    const Entity entity = living();
    if (!entity) return;
    const test::ReferenceHierarchy reference(world_);
    std::vector<Entity> tree = hierarchy_.subtree(entity);
    std::sort(tree.begin(), tree.end());
    ASSERT_EQ(tree, reference.subtree(entity));
    ASSERT_EQ(hierarchy_.children(entity), reference.children(entity));
    if (random_.chance(1, 2)) {
      ASSERT_EQ(hierarchy_.depth(entity), reference.depth(entity));
    }
    if (world_.has<Transform>(entity)) {
      ASSERT_EQ(hierarchy_.world(entity), reference.world(entity));
    }
  }

  // Returns any entity, dead ones included.
  Entity any() {
    return known_.empty() ? ecs::null_entity : known_[random_.below(static_cast<std::uint32_t>(known_.size()))];
  }
  Entity living() {
    const ecs::EntityPool& entities = world_.entities();
    for (int tries = 0; tries < 20 && entities.index_end() > 0; ++tries)
      if (const Entity entity = entities.at(random_.below(entities.index_end()))) return entity;
    return ecs::null_entity;
  }
  // Returns any value of a Parent.
  Entity named() {
    if (random_.chance(1, 30)) return ecs::null_entity;
    if (random_.chance(1, 40)) return {random_.below(~0u), 1};
    return random_.chance(1, 8) ? any() : living();
  }
  Transform place() {
    const float t = random_.uniform(0, 1);  // rational point on the unit circle
    const float w = (1 - t * t) / (1 + t * t);
    const float s = 2 * t / (1 + t * t);
    return {{random_.uniform(-9, 9), random_.uniform(-9, 9), random_.uniform(-9, 9)},
            random_.chance(1, 2) ? engine::Quat{0, s, 0, w} : engine::Quat{s, 0, 0, w}};
  }

  Entity make() {
    if (world_.entities().config().recycling != ecs::Recycling::given) return world_.create();
    const Entity entity{random_.below(world_.entities().config().entities_max), 1 + random_.below(3)};
    return world_.create_given(entity) ? entity : ecs::null_entity;
  }
  void create() {
    const Entity entity = world_.entities().size() < 150 ? make() : ecs::null_entity;
    if (!entity) return;
    known_.push_back(entity);
    if (random_.chance(7, 8)) world_.add<Transform>(entity, place());
    if (random_.chance(5, 8)) world_.add<Parent>(entity, {random_.chance(1, 30) ? entity : named()});
  }
  void destroy() {
    if (const Entity entity = living()) world_.destroy(entity);
  }
  void destroy_some() {
    if (!random_.chance(1, 3)) return;
    std::vector<Entity> some;
    for (const Entity entity : world_.entities())
      if (random_.chance(1, 8)) some.push_back(entity);
    world_.destroy(some);
  }
  void destroy_tree() {
    const Entity root = living();
    if (!root || !random_.chance(1, 2)) return;
    const std::vector<Entity> tree = test::ReferenceHierarchy(world_).subtree(root);
    const std::uint32_t before = world_.entities().size();
    hierarchy_.destroy_tree(root);
    ASSERT_EQ(world_.entities().size(), before - tree.size());
    for (const Entity entity : tree) ASSERT_FALSE(world_.valid(entity));
  }

  void check_set(Entity child, Entity parent, const test::ReferenceHierarchy& before, const core::Status& set) {
    (set.ok() ? set_ : not_set_) += 1;
    if (!world_.valid(child) || (parent && !world_.valid(parent))) {
      ASSERT_FALSE(set.ok());
      ASSERT_STREQ(set.error().reason, "stale handle");
      return;
    }
    const auto* now = world_.try_get<const Parent>(child);
    const std::vector<Entity> tree = before.subtree(child);
    const bool circle = parent && std::binary_search(tree.begin(), tree.end(), parent);
    const std::uint32_t above = parent ? before.chain_length(parent, max_depth) : 0;
    ASSERT_EQ(set.ok(), !parent || (!circle && above + before.height(child) <= max_depth));
    if (set.ok()) {
      ASSERT_EQ(now == nullptr, !parent);
      if (parent) {
        ASSERT_EQ(now->entity, parent);
      }
    } else if (circle && above <= max_depth) {
      ASSERT_STREQ(set.error().reason, "circle");
    } else if (!circle) {
      ASSERT_STREQ(set.error().reason, "too deep");
    }
  }
  void set_parent() {
    const Entity child = random_.chance(1, 20) ? any() : living();
    const Entity parent = named();
    const test::ReferenceHierarchy before(world_);
    const core::Status set = hierarchy_.set_parent(child, parent);
    check_set(child, parent, before, set);
  }
  void set_parent_in_place() {
    const Entity child = random_.chance(1, 20) ? any() : living();
    const Entity parent = named();
    const test::ReferenceHierarchy before(world_);
    const engine::Vec3 was = world_.has<Transform>(child) ? before.world(child).position : engine::Vec3{};
    const core::Status set = hierarchy_.set_parent_in_place(child, parent);
    check_set(child, parent, before, set);
    if (!set.ok() || !world_.has<Transform>(child)) return;
    const engine::Vec3 is = test::ReferenceHierarchy(world_).world(child).position;
    ASSERT_NEAR(was.x, is.x, 1e-2f);
    ASSERT_NEAR(was.y, is.y, 1e-2f);
    ASSERT_NEAR(was.z, is.z, 1e-2f);
  }
  void write_parent() {
    for (std::uint32_t writes = 1 + random_.below(4); writes > 0; --writes)
      if (auto* parent = world_.try_get<Parent>(living())) parent->entity = named();
  }
  // Makes long chains and circles.
  void write_chain() {
    if (!random_.chance(1, 3)) return;
    Entity above = living();
    const Entity first = above;
    for (int i = 0; i < 60; ++i) {
      auto* parent = world_.try_get<Parent>(living());
      if (parent == nullptr) continue;
      parent->entity = above;
      above = world_.entities().at(world_.pool<Parent>().indices()[random_.below(world_.pool<Parent>().size())]);
    }
    if (auto* parent = world_.try_get<Parent>(first); parent != nullptr && random_.chance(1, 3)) parent->entity = above;
  }
  void write_transform() {
    for (std::uint32_t writes = 1 + random_.below(10); writes > 0; --writes)
      if (auto* transform = world_.try_get<Transform>(living())) *transform = place();
  }
  void toggle_parent() {
    const Entity entity = living();
    if (!entity) return;
    if (world_.has<Parent>(entity)) {
      world_.remove<Parent>(entity);
    } else {
      world_.add<Parent>(entity, {named()});
    }
  }
  void toggle_transform() {
    const Entity entity = living();
    if (!entity) return;
    if (!world_.has<Transform>(entity)) {
      world_.add<Transform>(entity, place());
    } else if (random_.chance(1, 3)) {
      world_.remove<Transform>(entity);
    }
  }
  // Creates some trees at once, as a spawner does.
  void spawn() {
    if (world_.entities().config().recycling == ecs::Recycling::given || world_.entities().size() > 120) return;
    const std::uint32_t count = 1 + random_.below(30);
    const ecs::PoolId transforms = world_.pool_of<Transform>();
    const ecs::PoolId parents = world_.pool_of<Parent>();
    const ecs::PrototypeId root = world_.prototypes().with(ecs::empty_prototype, transforms);
    const ecs::PrototypeId child = world_.prototypes().with(root, parents);
    std::vector<ecs::PrototypeId> kinds;
    for (std::uint32_t i = 0; i < count; ++i) kinds.push_back(random_.chance(1, 4) ? root : child);
    const ecs::EntityRange range = world_.begin_spawn(kinds);
    if (range.count == 0) return;
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> below;
    std::vector<Transform> places;
    std::vector<Parent> named_parents;
    for (std::uint32_t i = 0; i < count; ++i) {
      known_.push_back(range.at(i));
      all.push_back(i);
      places.push_back(place());
      if (kinds[i] == root) continue;
      below.push_back(i);
      named_parents.push_back({random_.chance(1, 5) ? named() : range.at(random_.below(count))});
    }
    world_.add_column(range, transforms, all, reinterpret_cast<const std::byte*>(places.data()));
    world_.add_column(range, parents, below, reinterpret_cast<const std::byte*>(named_parents.data()));
    world_.end_spawn(range);
  }
  void reorder() {
    if (random_.chance(1, 2)) {
      ecs::sort_by<Parent>(world_, [](const Parent& parent) { return parent.entity.index; });
    } else {
      ecs::sort_by<Transform>(world_, [](const Transform& transform) { return transform.position.x; });
    }
  }

  test::World world_;
  Hierarchy hierarchy_{world_};
  core::Random random_;
  std::vector<Entity> known_;
  std::size_t refusals_ = 0;
  std::uint32_t set_ = 0;
  std::uint32_t not_set_ = 0;
};

void run_histories(const ecs::RegistryConfig& config, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History(config, seed).run(mobula::test::few_or_all(1500, 4000));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(HierarchyModel, RandomHistoriesAgreeWithTheRules) { run_histories({}, 1); }

TEST(HierarchyModel, AgreesWhereIndicesAreReusedAtOnce) {
  run_histories(
      {.entities = {.recycling = ecs::Recycling::lifo, .entities_max = 400}, .pools = {.sparse_page_shift = 4}}, 11);
}

TEST(HierarchyModel, AgreesInAMirror) {
  run_histories({.entities = {.recycling = ecs::Recycling::given, .entities_max = 200}, .pools = {}}, 21);
}

}  // namespace
}  // namespace mobula::hierarchy

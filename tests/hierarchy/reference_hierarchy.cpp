#include "hierarchy/reference_hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/reflect/schema.hpp>
#include <set>

namespace mobula::hierarchy::test {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

World::World(const ecs::RegistryConfig& config) : ecs::Registry(config) {
  static_cast<void>(reflect::register_components(*this, **reflect::Schema::load(engine::schema_bytes())));
}

std::vector<Entity> World::make_chain(std::size_t count) {
  std::vector<Entity> chain;
  for (std::size_t i = 0; i < count; ++i) chain.push_back(i == 0 ? make() : make_below(chain.back()));
  return chain;
}

ReferenceHierarchy::ReferenceHierarchy(const ecs::Registry& registry) : registry_(registry) {
  for (const Entity entity : registry.entities())
    if (const auto* parent = registry.try_get<const Parent>(entity)) parents_[entity] = parent->entity;
}

std::vector<Entity> ReferenceHierarchy::children(Entity entity) const {
  std::vector<Entity> found;
  for (const auto& [child, parent] : parents_)
    if (parent == entity) found.push_back(child);
  return found;
}

std::vector<Entity> ReferenceHierarchy::subtree(Entity root) const {
  std::set<Entity> tree{root};
  for (std::size_t before = 0; before != tree.size();) {
    before = tree.size();
    for (const auto& [child, parent] : parents_)
      if (tree.contains(parent)) tree.insert(child);
  }
  return {tree.begin(), tree.end()};
}

std::uint32_t ReferenceHierarchy::height(Entity root) const {
  std::uint32_t below = 0;
  for (const Entity entity : subtree(root)) {
    std::uint32_t steps = 0;
    for (Entity at = entity; at != root; at = parents_.at(at)) ++steps;
    below = std::max(below, steps);
  }
  return below + 1;
}

std::uint32_t ReferenceHierarchy::chain_length(Entity entity, std::uint32_t limit) const {
  std::uint32_t length = 0;
  for (Entity at = entity; registry_.valid(at) && length <= limit; ++length) {
    const auto above = parents_.find(at);
    at = above == parents_.end() ? ecs::null_entity : above->second;
  }
  return length;
}

Entity ReferenceHierarchy::named(Entity entity) const {
  const auto found = parents_.find(entity);
  return found != parents_.end() && registry_.has<Transform>(found->second) ? found->second : ecs::null_entity;
}

bool ReferenceHierarchy::in_circle(Entity entity) const {
  Entity at = named(entity);
  for (std::size_t steps = 0; at && at != entity && steps < parents_.size(); ++steps) at = named(at);
  return at == entity;
}

std::uint32_t ReferenceHierarchy::depth(Entity entity) const {
  if (!registry_.has<Transform>(entity)) return 0;
  if (!named(entity) || in_circle(entity)) return 1;
  return depth(named(entity)) % max_depth + 1;
}

const char* ReferenceHierarchy::refusal(Entity entity) const {
  if (!registry_.has<Transform>(entity) || !named(entity)) return nullptr;
  return in_circle(entity) ? "circle" : depth(entity) == 1 ? "too deep" : nullptr;
}

WorldTransform ReferenceHierarchy::world(Entity entity) const {
  const auto& local = registry_.get<const Transform>(entity);
  if (depth(entity) == 1) return {local.position, local.rotation};
  return compose(world(named(entity)), local);
}

namespace {

void expect_agreement_of(Hierarchy& hierarchy, const ReferenceHierarchy& reference, ecs::Registry& registry,
                         Entity entity) {
  ASSERT_EQ(hierarchy.children(entity), reference.children(entity));
  std::vector<Entity> tree = hierarchy.subtree(entity);
  ASSERT_EQ(tree.front(), entity);
  std::sort(tree.begin(), tree.end());
  ASSERT_EQ(tree, reference.subtree(entity));
  ASSERT_EQ(hierarchy.depth(entity), reference.depth(entity));
  const auto* found = registry.try_get<const WorldTransform>(entity);
  ASSERT_EQ(found != nullptr, registry.has<Transform>(entity));
  if (found == nullptr) return;
  ASSERT_EQ(*found, reference.world(entity));
  ASSERT_EQ(hierarchy.world(entity), *found);
}

}  // namespace

void expect_agreement(Hierarchy& hierarchy, ecs::Registry& registry) {
  const ReferenceHierarchy reference(registry);
  std::vector<std::pair<Entity, std::string>> refused;
  for (const Entity entity : registry.entities()) {
    SCOPED_TRACE("entity " + to_string(entity));
    expect_agreement_of(hierarchy, reference, registry, entity);
    if (testing::Test::HasFatalFailure()) return;
    if (const char* reason = reference.refusal(entity)) refused.emplace_back(entity, reason);
  }
  ASSERT_EQ(hierarchy.refused().size(), refused.size());
  for (std::size_t i = 0; i < refused.size(); ++i) {
    EXPECT_EQ(hierarchy.refused()[i].entity, refused[i].first);
    EXPECT_EQ(hierarchy.refused()[i].reason, refused[i].second);
  }
}

}  // namespace mobula::hierarchy::test

// Reference model of the hierarchy: plain rules over all entities. Also a registry with the engine's components.
#pragma once

#include <map>
#include <mobula/hierarchy/hierarchy.hpp>
#include <vector>

namespace mobula::hierarchy::test {

struct World : ecs::Registry {
  explicit World(const ecs::RegistryConfig& config = {});

  ecs::Entity make(const engine::Vec3& position = {}) {
    const ecs::Entity entity = create();
    add<engine::Transform>(entity).position = position;
    return entity;
  }
  ecs::Entity make_below(ecs::Entity parent, const engine::Vec3& position = {}) {
    const ecs::Entity entity = make(position);
    add<engine::Parent>(entity, {parent});
    return entity;
  }
  // Creates entities 0 … count - 1, each a child of the one before.
  std::vector<ecs::Entity> make_chain(std::size_t count);
  void next_tick() {
    clear_journal();
    set_tick(tick() + 1);
  }
};

// Reads the Parents of all entities on construction.
class ReferenceHierarchy {
 public:
  explicit ReferenceHierarchy(const ecs::Registry& registry);

  [[nodiscard]] std::vector<ecs::Entity> children(ecs::Entity entity) const;
  // Returns the entity and all below it, in the order of handles.
  [[nodiscard]] std::vector<ecs::Entity> subtree(ecs::Entity root) const;
  [[nodiscard]] std::uint32_t height(ecs::Entity root) const;
  // Returns the number of entities from this one to its root; more than `limit` for a circle.
  [[nodiscard]] std::uint32_t chain_length(ecs::Entity entity, std::uint32_t limit) const;

  [[nodiscard]] std::uint32_t depth(ecs::Entity entity) const;
  [[nodiscard]] const char* refusal(ecs::Entity entity) const;  // null if it is not refused
  [[nodiscard]] WorldTransform world(ecs::Entity entity) const;

 private:
  // Returns the parent that it would have in the world if not refused; null_entity if none.
  [[nodiscard]] ecs::Entity named(ecs::Entity entity) const;
  [[nodiscard]] bool in_circle(ecs::Entity entity) const;

  const ecs::Registry& registry_;
  std::map<ecs::Entity, ecs::Entity> parents_;
};

// Compares all queries for all entities, after an update.
void expect_agreement(Hierarchy& hierarchy, ecs::Registry& registry);

}  // namespace mobula::hierarchy::test

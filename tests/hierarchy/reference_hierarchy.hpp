// The rules of the hierarchy told once more, by looking at everything: for tests that compare.
// And a registry that knows the engine's components.
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
  // Entities 0 … count - 1, each below the one before.
  std::vector<ecs::Entity> make_chain(std::size_t count);
  void next_tick() {
    clear_journal();
    set_tick(tick() + 1);
  }
};

// Of all entities as they are when it is made.
class ReferenceHierarchy {
 public:
  explicit ReferenceHierarchy(const ecs::Registry& registry);

  [[nodiscard]] std::vector<ecs::Entity> children(ecs::Entity entity) const;
  // In the order of handles.
  [[nodiscard]] std::vector<ecs::Entity> subtree(ecs::Entity root) const;
  [[nodiscard]] std::uint32_t height(ecs::Entity root) const;
  // How many stand on the way to the top, itself included; more than `limit` if it has no end.
  [[nodiscard]] std::uint32_t chain_length(ecs::Entity entity, std::uint32_t limit) const;

  [[nodiscard]] std::uint32_t depth(ecs::Entity entity) const;
  [[nodiscard]] const char* refusal(ecs::Entity entity) const;  // null: none
  [[nodiscard]] WorldTransform world(ecs::Entity entity) const;

 private:
  // Who stands above it in the world, unless it is refused; null_entity: nobody.
  [[nodiscard]] ecs::Entity named(ecs::Entity entity) const;
  [[nodiscard]] bool in_circle(ecs::Entity entity) const;

  const ecs::Registry& registry_;
  std::map<ecs::Entity, ecs::Entity> parents_;
};

// After an update: each entity, each question.
void expect_agreement(Hierarchy& hierarchy, ecs::Registry& registry);

}  // namespace mobula::hierarchy::test

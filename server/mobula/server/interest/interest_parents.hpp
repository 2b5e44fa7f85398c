// Parents of entities, as their Parent components named them in the last update(), and in the one before.
//
// An entity is above another if it is reached by following Parents. A Parent counts if it names a living entity, with
// or without Transform. Chains may be longer than the hierarchy accepts, and cycles occur: set_parent() refuses both,
// but a Parent can be written directly.
//
// Memory: 12 bytes for each index up to the highest that ever had a Parent, and LastSeen.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class InterestParents {
 public:
  static constexpr std::uint32_t none = ~0u;

  /// An entity whose Parent changed.
  struct Changed {
    std::uint32_t index = 0;
    ecs::Entity before;  // the former parent
  };

  explicit InterestParents(ecs::Registry& registry) : registry_(registry) {}

  /// Reads Parents that were written after tick `since`, and removed ones. Returns whether any changed.
  bool update(ecs::Tick since);

  /// Returns the number of entities whose Parent names an entity, living or not. Without any, nothing else need be
  /// asked.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Returns the index of the living entity that is the parent; none if there is none.
  [[nodiscard]] std::uint32_t above(std::uint32_t index) const {
    const ecs::Entity parent = named(index);
    return parent && registry_.valid(parent) ? parent.index : none;
  }
  /// Returns whether the entity is above the index.
  [[nodiscard]] bool is_below(std::uint32_t index, ecs::Entity entity) const;
  /// Returns whether the entity was above the index in the update before the last.
  [[nodiscard]] bool was_below(std::uint32_t index, ecs::Entity entity) const;

  /// Returns the entities whose Parent changed with the last update, each once.
  [[nodiscard]] std::span<const Changed> changed() const { return changed_; }
  /// Returns the last tick in which a Parent changed.
  [[nodiscard]] ecs::Tick last_change() const { return last_change_; }

  /// Asserts that the record agrees with the components.
  void check() const;

 private:
  [[nodiscard]] ecs::Entity named(std::uint32_t index) const {
    return index < parents_.size() ? parents_[index] : ecs::null_entity;
  }
  [[nodiscard]] ecs::Entity named_before(std::uint32_t index) const;
  void set(std::uint32_t index, ecs::Entity parent);

  ecs::Registry& registry_;
  const ecs::Pool* pool_ = nullptr;  // null while the registry does not know the component
  hierarchy::LastSeen seen_;
  std::vector<ecs::Entity> parents_;    // by entity index
  std::vector<std::uint32_t> changes_;  // by entity index: its place in changed_, if that is still its own
  std::vector<Changed> changed_;
  std::uint32_t count_ = 0;
  ecs::Tick last_change_ = 0;
};

}  // namespace mobula::server

// Who stands below whom: the Parent components turned round, so that an entity's children are found.
//
//   nodes:  by entity index: what the entity's Parent says, its first child, its siblings
//   seen:   by position in the Parent pool: what lay there when it was last looked at
//
// Nobody tells it of a write: follow() looks at the blocks that were stamped since, and compares.
// A child is entered under its parent's index, whatever the generation that its Parent names: those who name a dead
// entity wait there for nobody, or, in a mirror, for an entity that is told of later.
// Invariant, after follow(): an entity is in the list of an index exactly if its Parent names that index.
#pragma once

#include <cstdint>
#include <mobula/ecs/registry.hpp>
#include <mobula/schema/engine.hpp>
#include <span>
#include <vector>

namespace mobula::hierarchy {

class Links {
 public:
  static constexpr std::uint32_t none = ~0u;

  // Takes in what has been written. Gives the indices whose Parent came, went or changed, some of them twice; good
  // until the next call.
  std::span<const std::uint32_t> follow(const ecs::Registry& registry, const ecs::Pool& parents);
  // Forgets all: the next follow() finds everything new.
  void clear();

  // What an entity's Parent says; null_entity without one.
  [[nodiscard]] ecs::Entity parent(std::uint32_t index) const {
    return index < nodes_.size() ? nodes_[index].parent : ecs::null_entity;
  }
  // function(index) for each entity whose Parent names the index of `parent`, in no order.
  template <class Function>
  void each_child_of_index(std::uint32_t parent, Function function) const {
    if (parent >= nodes_.size()) return;
    for (std::uint32_t at = nodes_[parent].first_child; at != none; at = nodes_[at].next) function(at);
  }
  // The same for those that name this very entity.
  template <class Function>
  void each_child(ecs::Entity parent, Function function) const {
    each_child_of_index(parent.index, [&](std::uint32_t child) {
      if (nodes_[child].parent == parent) function(child);
    });
  }

  // Asserts the invariant by walking everything.
  void check(const ecs::Pool& parents) const;

 private:
  struct Node {  // 24 bytes
    ecs::Entity parent;
    std::uint32_t first_child = none;
    std::uint32_t next = none;  // siblings
    std::uint32_t previous = none;
    bool linked = false;  // in the list of parent.index
    bool waits = false;   // in unborn_
  };

  void grow(std::uint32_t index_end);
  void compare_block(const ecs::Pool& parents, std::uint32_t block, std::uint32_t seen_before);
  void set(std::uint32_t child, ecs::Entity parent);
  void link(std::uint32_t child);
  void unlink(std::uint32_t child);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> seen_indices_;
  std::vector<engine::Parent> seen_values_;
  ecs::Tick last_ = 0;  // when follow() looked: what is written in the same tick, but later, has the same stamp
  std::vector<std::uint32_t> unborn_;  // whose Parent names an index that nothing has ever had
  std::vector<std::uint32_t> changed_;
};

}  // namespace mobula::hierarchy

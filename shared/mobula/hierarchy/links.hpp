// Links: the inverse of the Parent components, to find an entity's children.
//
//   nodes:  by entity index: the entity's Parent, its first child, its siblings
//   seen:   by position in the Parent pool: the content last seen
//
// Writes are not reported: follow() reads the blocks changed since the last call and compares. A child is listed under
// its parent's index, whatever generation its Parent names. A child that names a dead entity stays there; in a mirror
// the server may add the parent later.
// Invariant, after follow(): an entity is in the list of an index exactly if its Parent names that index.
#pragma once

#include <cstdint>
#include <mobula/ecs/registry.hpp>
#include <mobula/schema/engine.hpp>
#include <span>
#include <vector>

namespace mobula::hierarchy {

/// Children by parent.
class Links {
 public:
  static constexpr std::uint32_t none = ~0u;

  /// Reads what has been written. Returns the indices whose Parent was added, removed or changed, with duplicates.
  /// Valid until the next call.
  std::span<const std::uint32_t> follow(const ecs::Registry& registry, const ecs::Pool& parents);
  /// Clears all links. The next follow() reads everything again.
  void clear();

  /// Returns the entity's Parent; null_entity without one.
  [[nodiscard]] ecs::Entity parent(std::uint32_t index) const {
    return index < nodes_.size() ? nodes_[index].parent : ecs::null_entity;
  }
  /// Calls function(index) for each entity whose Parent names the index of `parent`, in no order.
  template <class Function>
  void each_child_of_index(std::uint32_t parent, Function function) const {
    if (parent >= nodes_.size()) return;
    for (std::uint32_t at = nodes_[parent].first_child; at != none; at = nodes_[at].next) function(at);
  }
  /// Calls function(index) for each entity whose Parent names this handle.
  template <class Function>
  void each_child(ecs::Entity parent, Function function) const {
    each_child_of_index(parent.index, [&](std::uint32_t child) {
      if (nodes_[child].parent == parent) function(child);
    });
  }

  /// Asserts the invariant by checking every link.
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
  ecs::Tick last_ = 0;                 // tick of follow(); later writes in that tick have the same change tick
  std::vector<std::uint32_t> unborn_;  // their Parents name indices never used so far
  std::vector<std::uint32_t> changed_;
};

}  // namespace mobula::hierarchy

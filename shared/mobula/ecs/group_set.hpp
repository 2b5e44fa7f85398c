// Members of a group, kept current in O(1) per change of one of its pools.
//
// A group that owns pools keeps its members at the front of each, in one order: they are iterated as bare arrays. A
// group that owns none keeps a set of its own, and any number of such groups share a pool.
// Invariant: a living entity is a member exactly if it has all of `owned` and `required` and none of `excluded`. The
// members are at positions 0 … size - 1 of all owned pools, the same entity at each.
#pragma once

#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

/// Pools that define a group's members.
struct GroupPools {
  std::vector<Pool*> owned;
  std::vector<Pool*> required;  // further components that members must have
  std::vector<Pool*> excluded;

  bool operator==(const GroupPools&) const = default;
};

/// Members of a group.
class GroupSet {
 public:
  /// Takes in the entities that qualify. Checks that no other owner has the order of an owned pool.
  GroupSet(GroupPools pools, std::uint32_t sparse_page_shift);

  [[nodiscard]] const GroupPools& pools() const { return pools_; }
  /// Returns the set whose first size() indices are the members.
  [[nodiscard]] const SparseSet& set() const { return pools_.owned.empty() ? members_ : pools_.owned[0]->set(); }
  [[nodiscard]] std::uint32_t size() const { return pools_.owned.empty() ? members_.size() : size_; }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return set().indices().first(size()); }
  [[nodiscard]] bool contains(std::uint32_t index) const { return set().find(index) < size(); }

  /// Allocates what added() and removed() may need; they allocate nothing.
  void make_room(std::span<const Entity> entities);
  void make_room(const EntityBatch& batch, std::span<const std::uint32_t> offsets);
  /// Updates the group after all components of a batch are in place. Requires make_room() for each.
  void enter_all(const EntityBatch& batch) noexcept;
  /// Updates the group after a component was added to `pool`, one of the group's.
  void added(const Pool& pool, std::uint32_t index) noexcept;
  /// Removes a member before its component is removed from `pool`.
  void removing(const Pool& pool, std::uint32_t index) noexcept;
  /// Updates the group after a component was removed from `pool`: if excluded, the entity may now qualify.
  void removed(const Pool& pool, std::uint32_t index) noexcept;
  /// Removes an entity if it is a member.
  void leave(std::uint32_t index) noexcept;
  /// Iterations over the members. Those over owned pools are registered with the pools too.
  [[nodiscard]] Iterations& iterations() { return iterations_; }
  /// Takes all qualifying entities into an empty group. Call clear() if it throws.
  void fill();
  void clear() noexcept;

  /// Moves members from position `first` on: first + i gets the member at order[i]. `order` is a permutation of these
  /// positions in set(). Throws only before anything has moved.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch);

  /// Asserts the invariant by checking every entity.
  void check() const;

 private:
  bool enter_tail() noexcept;
  [[nodiscard]] bool excludes(const Pool& pool) const;
  [[nodiscard]] bool qualifies(std::uint32_t index) const;
  void enter(std::uint32_t index) noexcept;

  GroupPools pools_;
  Iterations iterations_;
  SparseSet members_;       // if the group owns no pool
  std::uint32_t size_ = 0;  // if the group owns pools
};

}  // namespace mobula::ecs

// The entities of a group, kept current in O(1) per change of one of its pools.
//
// A group that owns pools keeps its members at the front of each, in one order: they are walked as bare
// arrays. A group that owns none keeps a set of its own, and any number of such groups share a pool.
// Invariant: a living entity is a member exactly if it has all of `owned` and `required` and none of `excluded`;
// the members are at positions 0 … size - 1 of all owned pools, and the same entity at each.
#pragma once

#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

struct GroupPools {
  std::vector<Pool*> owned;
  std::vector<Pool*> required;  // further ones that members must have
  std::vector<Pool*> excluded;

  bool operator==(const GroupPools&) const = default;
};

class GroupSet {
 public:
  // Takes in the entities that qualify already. Asserts that the order of each owned pool is free.
  GroupSet(GroupPools pools, std::uint32_t sparse_page_shift);

  [[nodiscard]] const GroupPools& pools() const { return pools_; }
  // The members are the first size() of it.
  [[nodiscard]] const SparseSet& set() const { return pools_.owned.empty() ? members_ : pools_.owned[0]->set(); }
  [[nodiscard]] std::uint32_t size() const { return pools_.owned.empty() ? members_.size() : size_; }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return set().indices().first(size()); }
  [[nodiscard]] bool contains(std::uint32_t index) const { return set().find(index) < size(); }

  // What `added` and `removed` may need: all else allocates nothing.
  void make_room(std::span<const Entity> entities);
  void make_room(const EntityBatch& batch, std::span<const std::uint32_t> offsets);
  // After all components of the batch have come; there has been room for each of them.
  void take_in(const EntityBatch& batch) noexcept;
  // After a component was added to `pool`, one of the group's.
  void added(const Pool& pool, std::uint32_t index) noexcept;
  // Before a component is removed from `pool`: members leave.
  void removing(const Pool& pool, std::uint32_t index) noexcept;
  // After a component was removed from `pool`: an excluded one may have kept the entity out.
  void removed(const Pool& pool, std::uint32_t index) noexcept;
  void leave(std::uint32_t index) noexcept;
  // Takes in, into an empty group, all that qualify. If an allocation fails, clear() must follow.
  void fill();
  void clear() noexcept;

  // Members first … get what is now at order[0], order[1], …, which are positions in set(): a permutation of them.
  // Throws only before anything has moved.
  void reorder(std::uint32_t first, std::span<const std::uint32_t> order, Scratch& scratch);

  // Asserts the invariant by walking everything.
  void check() const;

 private:
  bool take_in_tail() noexcept;
  [[nodiscard]] bool excludes(const Pool& pool) const;
  [[nodiscard]] bool qualifies(std::uint32_t index) const;
  void enter(std::uint32_t index) noexcept;

  GroupPools pools_;
  SparseSet members_;       // of a group that owns no pool
  std::uint32_t size_ = 0;  // of a group that owns pools
};

}  // namespace mobula::ecs

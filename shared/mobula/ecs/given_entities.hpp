// Living entities of a mirror, which are few at scattered indices: memory follows their number. Each index below the
// highest one ever used costs one bit more.
//
//   set      living index <-> place
//   slots    {generation, prototype} by place
//   living   a bit per index, for iteration by index
//
// Used by an entity pool, which checks arguments beforehand.
#pragma once

#include <cstdint>
#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::ecs {

/// Slot of an entity: its generation, and flags with its prototype or list link.
struct EntitySlot {
  std::uint32_t generation;
  std::uint32_t state;
};

/// Living entities of a mirror.
class GivenEntities {
 public:
  GivenEntities() : set_(SparseSet::no_pages) {}

  /// Returns the slot of a living entity; null if none lives at the index.
  [[nodiscard]] const EntitySlot* find(std::uint32_t index) const {
    const std::uint32_t place = set_.find(index);
    return place == SparseSet::none ? nullptr : &slots_[place];
  }
  /// Returns the slot of a living entity.
  [[nodiscard]] EntitySlot& slot(std::uint32_t index) { return slots_[set_.find(index)]; }
  [[nodiscard]] std::uint32_t size() const { return set_.size(); }
  /// Returns the first living index from `index` on; end() if there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const;
  /// Returns the end of the index space ever used.
  [[nodiscard]] std::uint32_t end() const { return end_; }

  /// Marks indices below `end` as used.
  void extend(std::uint32_t end);
  /// Adds an entity at an index without one. A failed allocation changes nothing.
  void add(std::uint32_t index, EntitySlot slot);
  void remove(std::uint32_t index) noexcept;

  /// Asserts that set, slots and bits agree.
  void check() const;

 private:
  SparseSet set_;
  std::vector<EntitySlot> slots_;
  std::vector<std::uint64_t> living_;
  std::uint32_t end_ = 0;
};

}  // namespace mobula::ecs

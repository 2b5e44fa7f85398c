// The living entities of a mirror, which has few of them at indices that may lie far apart: memory follows how many
// there are. Besides, each index below the highest ever used costs a bit.
//
//   set      living index <-> place
//   slots    {generation, prototype} by place
//   living   a bit per index, for walks by index
//
// Of an entity pool, which has checked what it asks for.
#pragma once

#include <cstdint>
#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::ecs {

struct EntitySlot {
  std::uint32_t generation;
  std::uint32_t state;
};

class GivenEntities {
 public:
  GivenEntities() : set_(SparseSet::no_pages) {}

  // Null if none lives there.
  [[nodiscard]] const EntitySlot* find(std::uint32_t index) const {
    const std::uint32_t place = set_.find(index);
    return place == SparseSet::none ? nullptr : &slots_[place];
  }
  // Of a living one.
  [[nodiscard]] EntitySlot& slot(std::uint32_t index) { return slots_[set_.find(index)]; }
  [[nodiscard]] std::uint32_t size() const { return set_.size(); }
  // The first living index from there on; end() if there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const;
  // All indices ever used are below it.
  [[nodiscard]] std::uint32_t end() const { return end_; }

  // Indices below `end` count as used.
  void extend(std::uint32_t end);
  // None lives there. An allocation that fails changes nothing.
  void add(std::uint32_t index, EntitySlot slot);
  void remove(std::uint32_t index) noexcept;

  // Asserts that all three agree.
  void check() const;

 private:
  SparseSet set_;
  std::vector<EntitySlot> slots_;
  std::vector<std::uint64_t> living_;
  std::uint32_t end_ = 0;
};

}  // namespace mobula::ecs

// Some entities of a pool, and where their components are. A component is looked up again after any component of the
// pool has moved. Each entity has an entry; removal moves the last entry into the gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/sparse_set.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

class ComponentPlaces {
 public:
  /// `page_shift` is that of SparseSet.
  explicit ComponentPlaces(std::uint32_t page_shift) : set_(page_shift) {}

  [[nodiscard]] std::uint32_t size() const { return set_.size(); }
  [[nodiscard]] bool contains(std::uint32_t index) const { return set_.contains(index); }
  /// Returns the entry of an entity; SparseSet::none if it has none.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const { return set_.find(index); }
  [[nodiscard]] std::uint32_t index(std::uint32_t entry) const { return set_.indices()[entry]; }

  /// Adds an entity as the last entry.
  void push(std::uint32_t index);
  /// Removes an entry. The last one gets its number.
  void erase(std::uint32_t entry);

  /// Finds the components of all entries, which the pool has.
  void update(const Pool& pool) {
    if (pool.version() != pool_version_) find_components(pool);
  }
  /// Positions in the pool and components, by entry. Valid after update(), until an entry is added or the pool changes.
  [[nodiscard]] std::span<const std::uint32_t> positions() const { return positions_; }
  [[nodiscard]] std::span<std::byte* const> components() const { return components_; }

 private:
  void find_components(const Pool& pool);

  SparseSet set_;
  std::uint64_t pool_version_ = 0;  // that of the places; 0 if some are not known
  std::vector<std::uint32_t> positions_;
  std::vector<std::byte*> components_;
};

}  // namespace mobula::ecs

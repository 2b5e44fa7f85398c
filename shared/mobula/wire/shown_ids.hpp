// Maps an entity index to the id under which a mirror shows the entity. Few of many indices are used and the server
// chooses which, so this is a sparse set, which no choice of indices makes slow.
#pragma once

#include <mobula/ecs/sparse_set.hpp>
#include <vector>

namespace mobula::wire {

class ShownIds {
 public:
  static constexpr std::uint32_t none = ~0u;

  /// Returns the id; none if the entity is not shown.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
    const std::uint32_t place = indices_.find(index);
    return place == ecs::SparseSet::none ? none : ids_[place];
  }
  void set(std::uint32_t index, std::uint32_t id) {
    if (const std::uint32_t place = indices_.find(index); place != ecs::SparseSet::none) {
      ids_[place] = id;
      return;
    }
    indices_.make_room(index);
    ids_.push_back(id);
    indices_.push(index);
  }
  /// Removes an index that has an id.
  void erase(std::uint32_t index) {
    ids_[indices_.find(index)] = ids_.back();
    ids_.pop_back();
    indices_.erase(index);
  }

 private:
  ecs::SparseSet indices_{ecs::SparseSet::no_pages};
  std::vector<std::uint32_t> ids_;  // by place in indices_
};

}  // namespace mobula::wire

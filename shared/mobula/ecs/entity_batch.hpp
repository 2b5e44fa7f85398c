// Groups of entities that are created together.
#pragma once

#include <mobula/ecs/entity.hpp>
#include <span>

namespace mobula::ecs {

/// Entities created as a range: indices first … first + count - 1, all of one generation.
struct EntityRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] Entity at(std::uint32_t offset) const { return {first + offset, generation}; }
  bool operator==(const EntityRange&) const = default;
};

/// Entities created together: a range, or a list of distinct handles. Refers to the list.
class EntityBatch {
 public:
  EntityBatch(const EntityRange& range) : range_(range) {}
  EntityBatch(std::span<const Entity> list) : list_(list.data()) {
    range_.count = static_cast<std::uint32_t>(list.size());
  }

  [[nodiscard]] std::uint32_t count() const { return range_.count; }
  [[nodiscard]] bool is_range() const { return list_ == nullptr; }
  /// Returns the first index; valid for ranges only.
  [[nodiscard]] std::uint32_t first() const { return range_.first; }
  [[nodiscard]] Entity at(std::uint32_t i) const { return list_ == nullptr ? range_.at(i) : list_[i]; }

 private:
  EntityRange range_;
  const Entity* list_ = nullptr;
};

}  // namespace mobula::ecs

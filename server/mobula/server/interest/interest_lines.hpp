// Short lists of entities and their positions, laid out for fast search: lines of four, each a cache line.
//
//   line:   x[4] y[4] z[4] index[4]      64 bytes
//   list:   its first line, and its length; only the first line may have gaps, at its end
//   slot:   4 * line + lane: place of an entity, until another is erased from the same list
//
// The position of a gap is NaN, so that it is near nothing. Unused lines are in a free list.
#pragma once

#include <cstdint>
#include <mobula/schema/engine.hpp>
#include <vector>

namespace mobula::server {

/// Pool of lines, and operations on lists.
class InterestLines {
 public:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t lanes = 4;

  struct List {
    std::uint32_t first = none;
    std::uint32_t size = 0;
  };
  /// Entities found near, with their squared distances.
  struct Hits {
    static constexpr std::uint32_t capacity = 128;
    std::uint32_t count = 0;
    std::uint32_t index[capacity];
    float squared[capacity];
  };
  /// An entity that an erasure moved to another slot.
  struct Moved {
    std::uint32_t index = none;  // none if no entity was moved
    std::uint32_t slot = none;
  };

  /// Appends an entity. Returns its slot.
  std::uint32_t push(List& list, std::uint32_t index, const engine::Vec3& position);
  /// Erases a slot. The last entity of the list fills the gap.
  Moved erase(List& list, std::uint32_t slot);
  void clear(List& list);

  [[nodiscard]] engine::Vec3 position(std::uint32_t slot) const {
    const Line& line = lines_[slot / lanes];
    const std::uint32_t lane = slot % lanes;
    return {line.x[lane], line.y[lane], line.z[lane]};
  }
  void set_position(std::uint32_t slot, const engine::Vec3& position) {
    Line& line = lines_[slot / lanes];
    const std::uint32_t lane = slot % lanes;
    line.x[lane] = position.x;
    line.y[lane] = position.y;
    line.z[lane] = position.z;
  }
  [[nodiscard]] std::uint32_t index(std::uint32_t slot) const { return lines_[slot / lanes].index[slot % lanes]; }

  /// Calls visit(index, slot) for each entity of a list.
  template <class Visit>
  void each(const List& list, Visit visit) const;
  /// Appends to `hits` all entities within the leave radius. Calls flush(hits), which must clear it, when it is full.
  /// Nothing branches on a distance: such branches are unpredictable, and a misprediction costs more than four
  /// distances.
  template <class Flush>
  void find_near(const List& list, const engine::Vec3& viewpoint, float leave_squared, Hits& hits, Flush flush) const;

  /// Returns the number of lines in use.
  [[nodiscard]] std::size_t size() const { return lines_.size() - free_count_; }

 private:
  struct alignas(64) Line {
    float x[lanes];
    float y[lanes];
    float z[lanes];
    std::uint32_t index[lanes];
  };
  static_assert(sizeof(Line) == 64);

  // Returns the number of entities in the first line of a list.
  static std::uint32_t in_first(const List& list) { return (list.size - 1) % lanes + 1; }
  std::uint32_t take_line();
  void drop_first(List& list);

  std::vector<Line> lines_;
  std::vector<std::uint32_t> next_;  // by line: the next one of its list, or of the free list
  std::uint32_t free_ = none;
  std::size_t free_count_ = 0;
};

template <class Visit>
inline void InterestLines::each(const List& list, Visit visit) const {
  std::uint32_t count = list.size == 0 ? 0 : in_first(list);
  for (std::uint32_t at = list.first; at != none; at = next_[at], count = lanes)
    for (std::uint32_t lane = 0; lane < count; ++lane) visit(lines_[at].index[lane], at * lanes + lane);
}

template <class Flush>
inline void InterestLines::find_near(const List& list, const engine::Vec3& viewpoint, float leave_squared, Hits& hits,
                                     Flush flush) const {
  for (std::uint32_t at = list.first; at != none; at = next_[at]) {
    if (hits.count > Hits::capacity - lanes) flush(hits);
    const Line& line = lines_[at];
    std::uint32_t count = hits.count;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const float x = line.x[lane] - viewpoint.x;
      const float y = line.y[lane] - viewpoint.y;
      const float z = line.z[lane] - viewpoint.z;
      const float squared = x * x + y * y + z * z;
      hits.index[count] = line.index[lane];
      hits.squared[count] = squared;
      count += squared <= leave_squared ? 1 : 0;
    }
    hits.count = count;
  }
}

}  // namespace mobula::server

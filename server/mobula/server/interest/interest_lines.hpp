// Short lists of entities and their positions, made to be searched fast: lines of four, each a cache line.
//
//   line:   x[4] y[4] z[4] index[4]      64 bytes
//   list:   its first line, and how many it holds; only the first line may have gaps, at its end
//   slot:   4 * line + lane: where an entity is, until another is erased from the same list
//
// A gap's position is not a number, so that nothing is near it. Lines that are no longer needed wait in a list.
#pragma once

#include <cstdint>
#include <mobula/schema/engine.hpp>
#include <vector>

namespace mobula::server {

class InterestLines {
 public:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t lanes = 4;

  struct List {
    std::uint32_t first = none;
    std::uint32_t size = 0;
  };
  // Who was found near, and at what distance.
  struct Hits {
    static constexpr std::uint32_t room = 128;
    std::uint32_t count = 0;
    std::uint32_t index[room];
    float squared[room];
  };
  struct Moved {
    std::uint32_t index = none;  // none: nobody had to
    std::uint32_t slot = none;
  };

  // Gives the slot.
  std::uint32_t push(List& list, std::uint32_t index, const engine::Vec3& position);
  // The last one fills the gap.
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

  // visit(index, slot) for all of a list.
  template <class Visit>
  void each(const List& list, Visit visit) const;
  // Notes whoever is near enough not to leave. Nothing branches on a distance: that cannot be guessed, and a wrong
  // guess costs more than four distances. When the notes are full, flush(hits) is to clear them.
  template <class Flush>
  void find_near(const List& list, const engine::Vec3& eye, float leave_squared, Hits& hits, Flush flush) const;

  // Lines in use.
  [[nodiscard]] std::size_t size() const { return lines_.size() - free_count_; }

 private:
  struct alignas(64) Line {
    float x[lanes];
    float y[lanes];
    float z[lanes];
    std::uint32_t index[lanes];
  };
  static_assert(sizeof(Line) == 64);

  // Entities in the first line of a list.
  static std::uint32_t in_first(const List& list) { return (list.size - 1) % lanes + 1; }
  std::uint32_t take_line();
  void drop_first(List& list);

  std::vector<Line> lines_;
  std::vector<std::uint32_t> next_;  // by line: the next of its list, or of those that wait
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
inline void InterestLines::find_near(const List& list, const engine::Vec3& eye, float leave_squared, Hits& hits,
                                     Flush flush) const {
  for (std::uint32_t at = list.first; at != none; at = next_[at]) {
    if (hits.count > Hits::room - lanes) flush(hits);
    const Line& line = lines_[at];
    std::uint32_t count = hits.count;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const float x = line.x[lane] - eye.x;
      const float y = line.y[lane] - eye.y;
      const float z = line.z[lane] - eye.z;
      const float squared = x * x + y * y + z * z;
      hits.index[count] = line.index[lane];
      hits.squared[count] = squared;
      count += squared <= leave_squared ? 1 : 0;
    }
    hits.count = count;
  }
}

}  // namespace mobula::server

// Marks of entities during a visibility query. Beginning the next query clears all of them in O(1), because it regards
// the numbers of former queries as no mark.
//
//   base      visible to the client
//   base + 1  refused by the game's own rule, or below one that is forbidden
//   base + 2  relevant by itself; its parents are not decided
//   base + 3  relevant, as are all its parents
//   below     no mark; the next base is base + 4
//
// `Number` is narrower in tests. After its last base all marks are cleared once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace mobula::server {

/// Marks by entity index.
template <class Number = std::uint32_t>
class InterestMarks {
 public:
  /// Makes room for indices below `end`, and keeps the marks.
  void make_room(std::uint32_t end) {
    if (end > marks_.size()) marks_.resize(end, 0);
  }
  [[nodiscard]] std::size_t size() const { return marks_.size(); }

  void begin() {
    if (base_ > last_base - 4) {
      std::fill(marks_.begin(), marks_.end(), Number{0});
      base_ = 0;
    }
    base_ = static_cast<Number>(base_ + 4);
  }
  void note_visible(std::uint32_t index) { marks_[index] = base_; }
  void note_refused(std::uint32_t index) { marks_[index] = static_cast<Number>(base_ + 1); }
  void note_relevant(std::uint32_t index) { marks_[index] = static_cast<Number>(base_ + 2); }
  void note_with_parents(std::uint32_t index) { marks_[index] = static_cast<Number>(base_ + 3); }

  [[nodiscard]] bool visible_only(std::uint32_t index) const { return marks_[index] == base_; }
  [[nodiscard]] bool refused(std::uint32_t index) const { return marks_[index] == base_ + 1; }
  /// Returns whether it is relevant, by itself or with its parents.
  [[nodiscard]] bool relevant(std::uint32_t index) const { return marks_[index] >= base_ + 2; }
  [[nodiscard]] bool with_parents(std::uint32_t index) const { return marks_[index] == base_ + 3; }
  [[nodiscard]] bool decided(std::uint32_t index) const { return marks_[index] > base_; }

 private:
  static constexpr Number last_base = std::numeric_limits<Number>::max() - 3;

  std::vector<Number> marks_;  // by entity index
  Number base_ = 0;
};

}  // namespace mobula::server

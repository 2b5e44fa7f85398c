// Former values, kept as baselines for deltas: a ring of a fixed number of bytes, in which the oldest are overwritten
// first.
//
//   record  u64 before, u64 jump, u32 tick, u32 jump tick, u32 span, u32 words, then the words
//                                               the row's value from `tick` on, until that of the next record
//
// The records of a row are a chain from the newest to the oldest, which ends where it has been overwritten. A jump
// leads `span` records back. Spans make the time to reach a record logarithmic (Myers, "An applicative
// random-access stack", 1983). Clients that fall behind must not cost more the further they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mobula/ecs/pool.hpp>
#include <span>

namespace mobula::server {

/// Ring of former values.
class ValueLog {
 public:
  // Position of a record; 0 means none.
  using Place = std::uint64_t;

  explicit ValueLog(std::size_t bytes);

  /// Adds a row's former value; `before` is the record before it. Returns its place.
  Place add(ecs::Tick since, std::span<const std::uint32_t> words, Place before);
  /// Returns the words that a chain's row had at a tick. Null if they have been overwritten.
  [[nodiscard]] const std::uint32_t* find(Place newest, ecs::Tick tick) const { return find_back(newest, tick); }
  /// Does the same from a record of the chain on, and moves `place` to the record that was found. So the words of
  /// several ticks, the newest first, are found along the chain once.
  [[nodiscard]] const std::uint32_t* find_back(Place& place, ecs::Tick tick) const;

  /// Notes that the values added from now on ended in this tick. Ticks rise.
  void begin_tick(ecs::Tick tick) {
    if (marks_end_ == 0 || mark(marks_end_ - 1).tick != tick) marks_[marks_end_++ % marks_.size()] = {tick, end_};
  }
  /// Returns whether the log still has the values of all rows at a tick, if that is one of the last 64 with changes.
  [[nodiscard]] bool covers(ecs::Tick tick) const;

  [[nodiscard]] std::size_t bytes() const { return size_; }

 private:
  struct Header {
    Place before;
    Place jump;
    ecs::Tick tick;
    ecs::Tick jump_tick;
    std::uint32_t span;
    std::uint32_t words;
  };

  // Where the values begin that ended in a tick.
  struct Mark {
    ecs::Tick tick = 0;
    Place place = 0;
  };

  [[nodiscard]] const Mark& mark(std::uint64_t number) const { return marks_[number % marks_.size()]; }
  [[nodiscard]] bool has(Place place) const { return place != 0 && place + size_ >= end_; }
  [[nodiscard]] Header header(Place place) const;
  // Returns where a record lies that the log still has. Most searches take several steps, so this divides nothing.
  [[nodiscard]] std::byte* at(Place place) const {
    return &bytes_[place >= lap_ ? place - lap_ : place + size_ - lap_];
  }
  void set_jump(Header& of) const;

  std::array<Mark, 64> marks_{};
  std::uint64_t marks_end_ = 0;  // number of marks so far
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;  // not initialised: a world takes the memory that its values fill
  std::uint64_t end_ = 8;               // bytes ever used; begins at 8 so that no place is 0
  std::uint64_t lap_ = 0;               // where the present round of the ring began
};

}  // namespace mobula::server

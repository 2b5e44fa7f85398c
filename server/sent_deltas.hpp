// The deltas that a client was sent and has not settled yet: what each carried, and what has become of it.
//
// The client takes deltas in any order, but none that is late_max or more behind the newest. Each of its
// acknowledgements tells which of the last 256 it took. One that is missing counts as lost at once, and may still turn
// out to have come; settled it is when it came or never will.
//
//   carried   u32 id << 2 | kind, in the ring; where hashes are kept, its hash beside it
#pragma once

#include <array>
#include <cstdint>
#include <mobula/wire/delta.hpp>
#include <vector>

namespace mobula::server {

class SentDeltas {
 public:
  enum class Kind : std::uint8_t { change, whole, gone };
  struct Delta {
    std::uint32_t sequence = 0;
    ecs::Tick tick = 0;
    std::uint32_t begin = 0;  // of what it carried
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t window_max = wire::ack_history - 1;

  explicit SentDeltas(bool keeps_hashes) : keeps_hashes_(keeps_hashes) {}

  // The number of the last one begun; 0: none.
  [[nodiscard]] std::uint32_t last() const { return last_; }
  // Those that are not settled. There must be no more than window_max.
  [[nodiscard]] std::uint32_t unsettled() const { return last_ - settled_; }
  [[nodiscard]] std::uint32_t settled() const { return settled_; }
  [[nodiscard]] ecs::Tick last_tick() const { return deltas_[last_ % wire::ack_history].tick; }

  void begin(ecs::Tick tick);
  // To the one begun last. The hash is 0 unless they are kept.
  void add(std::uint32_t id, Kind kind, std::uint64_t hash) {
    if (end_ - begin_ == ring_.size()) grow();
    const std::size_t place = end_++ & (ring_.size() - 1);
    ring_[place] = id << 2 | static_cast<std::uint32_t>(kind);
    if (keeps_hashes_) hashes_[place] = hash;
    ++deltas_[last_ % wire::ack_history].count;
  }
  // function(id, kind, hash) for all that it carried.
  template <class Function>
  void each(const Delta& delta, Function&& function) const {
    for (std::uint32_t i = delta.begin; i != delta.begin + delta.count; ++i) {
      const std::size_t place = i & (ring_.size() - 1);
      function(ring_[place] >> 2, static_cast<Kind>(ring_[place] & 3), keeps_hashes_ ? hashes_[place] : 0);
    }
  }

  // In order of their numbers: came(delta) for each that is newly known to have come, lost(delta) for each that is
  // newly missing. `newest` is at most last().
  template <class Came, class Lost>
  void acknowledge(const wire::InputDatagram& input, Came&& came, Lost&& lost) {
    for (std::uint32_t sequence = settled_ + 1; sequence <= input.newest; ++sequence) {
      Record& record = deltas_[sequence % wire::ack_history];
      const std::uint32_t age = input.newest - sequence;
      if (record.state == State::settled || !input.says(age)) continue;
      if (input.has(age)) {
        came(delta_of(sequence, record));
        record.state = State::settled;
        continue;
      }
      if (record.state == State::unknown) lost(delta_of(sequence, record));
      record.state = age >= wire::late_max ? State::settled : State::missing;
    }
    forget_settled();
  }

 private:
  enum class State : std::uint8_t { unknown, missing, settled };
  struct Record {
    std::uint32_t begin = 0;  // in the ring
    std::uint16_t count = 0;
    State state = State::settled;
    ecs::Tick tick = 0;
  };

  static Delta delta_of(std::uint32_t sequence, const Record& record) {
    return {sequence, record.tick, record.begin, record.count};
  }
  void forget_settled();
  void grow();

  std::vector<std::uint32_t> ring_;
  std::vector<std::uint64_t> hashes_;  // beside ring_
  std::uint32_t begin_ = 0;            // of what is used of the ring; both go on counting
  std::uint32_t end_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t settled_ = 0;  // all up to here
  bool keeps_hashes_;
  std::array<Record, wire::ack_history> deltas_{};  // by sequence
};

}  // namespace mobula::server

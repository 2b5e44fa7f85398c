// The deltas that were sent to a client and are not settled: what each carried, and its fate.
//
// The client accepts deltas in any order, unless late_max or more behind the newest. Each acknowledgement states which
// of the last 256 it received. A missing delta counts as lost at once, and may still be received later. It is settled
// when it was received, or can no longer be.
//
//   carried   u32 (id / 32) << 2 | kind, u32 mask of these 32 ids: in a ring, as many as needed
//             if hashes are kept, u64 for each id, in a ring of their own
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mobula/server/replication/rising_ring.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::server {

/// Deltas in flight to one client.
class SentDeltas {
 public:
  enum class Kind : std::uint8_t { delta, full, lost };
  struct Delta {
    std::uint32_t sequence = 0;
    ecs::Tick tick = 0;
    std::uint32_t begin = 0;  // first group
    std::uint32_t count = 0;  // number of groups
    std::uint32_t first_hash = 0;
  };
  static constexpr std::uint32_t window_max = wire::ack_history - 1;
  // Deltas between two trims of the rings, which free the memory that an outage or the first deltas took.
  static constexpr std::uint32_t trimmed_each = 512;

  explicit SentDeltas(bool keeps_hashes) : keeps_hashes_(keeps_hashes) {}

  /// Returns the sequence of the last delta begun. 0 if there is none.
  [[nodiscard]] std::uint32_t last() const { return last_; }
  /// Returns the number of unsettled deltas, at most window_max.
  [[nodiscard]] std::uint32_t unsettled() const { return last_ - settled_; }
  [[nodiscard]] std::uint32_t settled() const { return settled_; }
  [[nodiscard]] ecs::Tick last_tick() const { return deltas_[last_ % wire::ack_history].tick; }

  /// Begins the next delta.
  void begin(ecs::Tick tick);
  /// Records which entities of one kind the last delta carries, until its destruction. Cheapest by rising ids.
  class Recorder {
   public:
    Recorder(SentDeltas& sent, Kind kind) : sent_(sent), kind_(kind) {}
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() { close(); }
    /// Adds an entity. `hash` is 0 unless hashes are kept.
    void add(std::uint32_t id, std::uint64_t hash) {
      if (id / 32 != group_ || ids_ >> id % 32 != 0) {
        close();
        group_ = id / 32;
        ids_ = 0;
      }
      ids_ |= 1u << id % 32;
      if (sent_.keeps_hashes_) sent_.hashes_.push_back(hash);
    }

   private:
    void close() {
      if (ids_ != 0) sent_.add_group({group_ << 2 | static_cast<std::uint32_t>(kind_), ids_});
    }

    SentDeltas& sent_;
    Kind kind_;
    std::uint32_t group_ = 0;
    std::uint32_t ids_ = 0;
  };
  /// Calls function(id, kind, hash) for all that the delta carried, in the order in which it was added.
  template <class Function>
  void each(const Delta& delta, Function&& function) const {
    std::uint32_t hash = delta.first_hash;
    for (std::uint32_t i = delta.begin; i != delta.begin + delta.count; ++i) {
      const Group& group = groups_[i];
      const std::uint32_t first = (group.key >> 2) * 32;
      for (std::uint32_t ids = group.ids; ids != 0; ids &= ids - 1)
        function(first + static_cast<std::uint32_t>(std::countr_zero(ids)), static_cast<Kind>(group.key & 3),
                 keeps_hashes_ ? hashes_[hash++] : 0);
    }
  }

  /// Calls received(delta) for each delta newly known to be received, and missing(delta) for each one newly missing, in
  /// the order of their sequences. `input.newest` is at most last().
  template <class Received, class Missing>
  void acknowledge(const wire::InputDatagram& input, Received&& received, Missing&& missing) {
    for (std::uint32_t sequence = settled_ + 1; sequence <= input.newest; ++sequence) {
      Record& record = deltas_[sequence % wire::ack_history];
      const std::uint32_t age = input.newest - sequence;
      if (record.state == State::settled || !input.covers(age)) continue;
      if (input.has(age)) {
        received(delta_of(sequence, record));
        record.state = State::settled;
        continue;
      }
      if (record.state == State::unknown) missing(delta_of(sequence, record));
      record.state = age >= wire::late_max ? State::settled : State::missing;
    }
    forget_settled();
  }

 private:
  enum class State : std::uint8_t { unknown, missing, settled };
  struct Group {
    std::uint32_t key;  // (id / 32) << 2 | kind
    std::uint32_t ids;  // bit n: id / 32 * 32 + n
  };
  struct Record {
    std::uint32_t begin = 0;  // its first group
    std::uint32_t first_hash = 0;
    ecs::Tick tick = 0;
    std::uint16_t count = 0;  // number of groups
    State state = State::settled;
  };

  static Delta delta_of(std::uint32_t sequence, const Record& record) {
    return {sequence, record.tick, record.begin, record.count, record.first_hash};
  }
  void forget_settled();

  void add_group(Group group) {
    groups_.push_back(group);
    ++deltas_[last_ % wire::ack_history].count;
  }

  RisingRing<Group> groups_;
  RisingRing<std::uint64_t> hashes_;
  std::uint32_t last_ = 0;
  std::uint32_t settled_ = 0;  // all up to this sequence are settled
  bool keeps_hashes_;
  std::array<Record, wire::ack_history> deltas_{};  // by sequence
};

}  // namespace mobula::server

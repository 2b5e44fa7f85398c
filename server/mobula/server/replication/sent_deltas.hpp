// The deltas that a client was sent and has not settled yet: what each carried, and what has become of it.
//
// The client takes deltas in any order, but none that is late_max or more behind the newest. Each of its
// acknowledgements tells which of the last 256 it took. One that is missing counts as lost at once, and may still turn
// out to have come; settled it is when it came or never will.
//
//   carried   u32 (id / 32) << 2 | kind, u32 which of these 32 ids: in the ring; as many as it takes
//             where hashes are kept, u64 for each id, in a ring of their own
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
    std::uint32_t count = 0;  // of groups
    std::uint32_t first_hash = 0;
  };
  static constexpr std::uint32_t window_max = wire::ack_history - 1;
  // What an outage or the first look took is given back so many deltas later, or twice as many.
  static constexpr std::uint32_t trimmed_each = 512;

  explicit SentDeltas(bool keeps_hashes) : keeps_hashes_(keeps_hashes) {}

  // The number of the last one begun; 0: none.
  [[nodiscard]] std::uint32_t last() const { return last_; }
  // Those that are not settled. There must be no more than window_max.
  [[nodiscard]] std::uint32_t unsettled() const { return last_ - settled_; }
  [[nodiscard]] std::uint32_t settled() const { return settled_; }
  [[nodiscard]] ecs::Tick last_tick() const { return deltas_[last_ % wire::ack_history].tick; }

  void begin(ecs::Tick tick);
  // What the one begun last carries of one kind, as long as this lives. Costs least by rising ids.
  class Carrying {
   public:
    Carrying(SentDeltas& sent, Kind kind) : sent_(sent), kind_(kind) {}
    Carrying(const Carrying&) = delete;
    Carrying& operator=(const Carrying&) = delete;
    ~Carrying() { close(); }
    // The hash is 0 unless they are kept.
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
  // function(id, kind, hash) for all that it carried, in the order in which it was added.
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
  struct Group {
    std::uint32_t key;  // (id / 32) << 2 | kind
    std::uint32_t ids;  // bit n: id / 32 * 32 + n
  };
  // A queue whose places are numbered, going on for ever.
  template <class T>
  class Ring {
   public:
    [[nodiscard]] std::uint32_t end() const { return end_; }
    [[nodiscard]] T& operator[](std::uint32_t number) { return places_[number & (places_.size() - 1)]; }
    [[nodiscard]] const T& operator[](std::uint32_t number) const { return places_[number & (places_.size() - 1)]; }
    void push_back(T value) {
      if (end_ - begin_ == places_.size()) grow();
      (*this)[end_++] = value;
    }
    void forget_before(std::uint32_t number) {
      most_ = std::max(most_, end_ - begin_);
      begin_ = number;
    }
    // Gives back what was not nearly needed since the last time.
    void trim() {
      const std::size_t wanted = std::bit_ceil(std::max(places_min, std::size_t{std::max(most_, end_ - begin_)}));
      if (places_.size() >= 4 * wanted) resize(wanted);
      most_ = 0;
    }

   private:
    static constexpr std::size_t places_min = 16;

    void grow() { resize(std::max(places_min, 2 * places_.size())); }
    void resize(std::size_t count) {
      std::vector<T> places(count);
      for (std::uint32_t i = begin_; i != end_; ++i) places[i & (places.size() - 1)] = (*this)[i];
      places_.swap(places);
    }

    std::vector<T> places_;
    std::uint32_t begin_ = 0;
    std::uint32_t end_ = 0;
    std::uint32_t most_ = 0;  // at a time, since trim()
  };
  struct Record {
    std::uint32_t begin = 0;  // of its groups
    std::uint32_t first_hash = 0;
    ecs::Tick tick = 0;
    std::uint16_t count = 0;  // of groups
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

  Ring<Group> groups_;
  Ring<std::uint64_t> hashes_;
  std::uint32_t last_ = 0;
  std::uint32_t settled_ = 0;  // all up to here
  bool keeps_hashes_;
  std::array<Record, wire::ack_history> deltas_{};  // by sequence
};

}  // namespace mobula::server

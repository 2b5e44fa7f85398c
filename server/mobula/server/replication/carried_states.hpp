// Contents of the last deltas to one client, as the shadow of its mirror needs them: states of kept entities, all full
// states, all losses.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/ecs/prototype.hpp>
#include <mobula/server/replication/rising_ring.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::server {

/// Entry of a delta.
struct Carried {
  enum class Kind : std::uint8_t { delta, full, lost };

  ecs::Entity entity;
  std::uint32_t id = 0;
  ecs::PrototypeId prototype = ecs::empty_prototype;  // for a full state
  Kind kind = Kind::delta;
  bool owner = false;
  bool kept = false;       // its past is kept
  bool destroyed = false;  // for a loss; else it went out of view
  bool of_level = false;   // for a loss: the client has the level's state
};

class CarriedStates {
 public:
  // unknown -> applied, or dropped: the client can no longer receive it
  enum class State : std::uint8_t { unknown, applied, dropped };
  struct Delta {
    ecs::Tick tick = 0;
    std::uint32_t begin = 0;  // first entry
    std::uint32_t end = 0;
    State state = State::dropped;
    bool acknowledged = false;
  };

  /// Begins the next delta.
  void begin(std::uint32_t sequence, ecs::Tick tick) {
    if (sequence == last_) return;  // the last of a window is repeated
    last_ = sequence;
    if (last_ % trimmed_each == 0) entries_.trim();
    at(sequence) = {tick, entries_.end(), entries_.end(), State::unknown, false};
  }
  /// Adds an entry to the last delta.
  void add(const Carried& carried) {
    entries_.push_back(carried);
    at(last_).end = entries_.end();
  }
  [[nodiscard]] Delta& at(std::uint32_t sequence) { return deltas_[sequence % wire::ack_history]; }
  [[nodiscard]] const Delta& at(std::uint32_t sequence) const { return deltas_[sequence % wire::ack_history]; }
  [[nodiscard]] std::uint32_t last() const { return last_; }
  /// Returns the first delta that is neither applied nor dropped; last() + 1 if there is none.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// Calls function(entry) for each entry of a delta that is not applied or dropped yet.
  template <class Function>
  void each(const Delta& delta, Function&& function) const {
    for (std::uint32_t number = delta.begin; number != delta.end; ++number) function(entries_[number]);
  }
  /// Frees the entries of the oldest deltas, if these are applied or dropped.
  void free_oldest() {
    while (first_ != last_ + 1 && at(first_).state != State::unknown) ++first_;
    entries_.forget_before(first_ != last_ + 1 ? at(first_).begin : entries_.end());
  }
  [[nodiscard]] std::uint32_t entries() const { return entries_.end() - entries_.begin(); }

 private:
  static constexpr std::uint32_t trimmed_each = 512;

  RisingRing<Carried> entries_;
  std::uint32_t first_ = 1;
  std::uint32_t last_ = 0;
  std::array<Delta, wire::ack_history> deltas_{};  // by sequence
};

}  // namespace mobula::server

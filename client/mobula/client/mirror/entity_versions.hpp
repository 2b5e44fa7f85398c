// The states that a mirror keeps of one entity: those that the server may encode deltas against, and those that a
// picture needs.
//
//   state   tick, ack, lost << 1 | full, then its words       by ascending tick
//
// `ack` is the first acknowledgement that covers the state. `full` marks a full state. A `lost` state has no words any
// more.
#pragma once

#include <cstdint>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/delta.hpp>
#include <span>
#include <vector>

namespace mobula::client {

class EntityVersions {
 public:
  struct Version {
    ecs::Tick tick = 0;  ///< 0 if there is no such state.
    std::uint32_t ack = 0;
    bool full = false;
    const std::uint32_t* words = nullptr;  ///< Null if they are lost.
  };
  struct Baselines {
    Version baseline;
    Version previous;  // tick 0 if there is none
    Version early;     // tick 0 if there is none
  };

  /// Most states of an entity. No honest server exceeds it, with at most ack_history deltas in flight. The
  /// mirror learns a few ticks late that former states are not needed, and pictures need some.
  static constexpr std::size_t states_max = 2 * wire::ack_history;

  [[nodiscard]] std::size_t size() const { return states_.size() / stride(); }
  /// Words of all states, with their heads.
  [[nodiscard]] std::size_t kept_words() const { return states_.size(); }
  /// Returns a state; 0 is the oldest.
  [[nodiscard]] Version at(std::size_t which) const { return version_of(&states_[which * stride()]); }
  /// Returns the newest state; tick 0 if there is none.
  [[nodiscard]] Version newest() const { return states_.empty() ? Version{} : at(size() - 1); }

  /// Returns the newest state that acknowledgement `ack` covers.
  [[nodiscard]] Version baseline(std::uint32_t ack) const;
  /// Returns the states against which a server encodes that has received acknowledgement `ack` and no later one.
  [[nodiscard]] Baselines baselines(std::uint32_t ack) const;
  /// Prepares for states of another layout, with `words` words each, or of another owner. Former states are lost.
  void restart(std::uint32_t words);
  /// Inserts a state in tick order, unless there is one of that tick. It has as many words as given to restart.
  void add(ecs::Tick tick, std::uint32_t ack, bool full, std::span<const std::uint32_t> words);
  struct Around {
    Version earlier;
    Version later;
  };
  /// Returns the states before and after a moment, among those whose words are not lost.
  [[nodiscard]] Around around(double tick) const;
  /// Removes states that are baselines for no acknowledgement from `ack` on, unless a picture of tick `shown` or later
  /// needs them. For pictures it keeps at most pictures_max states, and none that was replaced more than
  /// picture_age_max ticks before the newest.
  void prune(std::uint32_t ack, ecs::Tick shown);
  /// Returns a copy of the states that pictures from tick `shown` on need if a state of another layout follows at tick
  /// `next`.
  [[nodiscard]] EntityVersions for_pictures(ecs::Tick next, ecs::Tick shown) const;

  static constexpr std::size_t head = 3;  // words
  static constexpr std::size_t pictures_max = 16;
  static constexpr ecs::Tick picture_age_max = 64;

 private:
  friend struct MirrorTamper;  // used by tests

  static constexpr std::uint32_t full_bit = 1;
  static constexpr std::uint32_t lost_bit = 2;

  static Version version_of(const std::uint32_t* state);
  [[nodiscard]] bool is_for_pictures(std::size_t which, ecs::Tick shown) const;
  void erase_oldest(std::size_t count);
  [[nodiscard]] std::size_t stride() const { return head + words_; }

  std::vector<std::uint32_t> states_;
  std::uint32_t words_ = 0;
};

}  // namespace mobula::client

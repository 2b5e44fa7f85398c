// Ticks of the states that a client has of one entity, as far as its pictures need them. They stand for
// EntityVersions and FormerStates of its mirror, without words.
//
// States of the same components and owner are a phase. A client searches its phases from the newest to the oldest.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/ecs/pool.hpp>

namespace mobula::server {

class PictureTicks {
 public:
  static constexpr std::uint32_t ticks_max = 16;
  /// A client drops a state that was replaced more than this number of ticks before its newest one.
  static constexpr ecs::Tick age_max = 64;
  static constexpr std::uint32_t phases_max = 8;

  struct State {
    ecs::Tick tick = 0;     ///< 0 if there is none.
    bool owner = false;     ///< The client owned the entity.
    bool of_level = false;  ///< It is that of the level.
  };
  struct Around {
    State earlier;
    State later;
    State newest;
    bool certain = true;  ///< The client still has these states.
    bool bare = false;    ///< The entity had no kept component then.
  };

  void clear() { *this = {}; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Returns the oldest tick that is known. There is one.
  [[nodiscard]] ecs::Tick oldest() const { return ticks_[0]; }
  [[nodiscard]] bool owner() const { return count_ > 0 && has(owners_, count_ - 1); }
  /// Begins with the level's state.
  void begin_of_level(ecs::Tick tick);
  /// Begins a phase; add() follows.
  void begin_phase(bool owner) {
    phase_ = count_;
    phase_owner_ = owner;
  }
  /// Notes that the entity had no kept component before its first state.
  void begin_bare() { bare_before_ = true; }
  /// Adds a state of the newest phase, in the order of ticks, unless there is one of that tick.
  void add(ecs::Tick tick);
  /// Returns the states before and after a moment. The earlier one is the first if there is none before.
  [[nodiscard]] Around around(double tick) const;
  /// Forgets the states that pictures from a moment on do not need.
  void forget_before(double tick);

 private:
  static constexpr std::uint32_t none = ticks_max;

  static bool has(std::uint32_t bits, std::uint32_t place) { return (bits >> place & 1) != 0; }
  [[nodiscard]] State state(std::uint32_t place) const;
  [[nodiscard]] std::uint32_t begin_of_phase(std::uint32_t place) const;
  void erase_oldest(std::uint32_t count);

  std::array<ecs::Tick, ticks_max> ticks_{};
  std::uint32_t owners_ = 0;  // bit n: the client owned the entity in state n
  std::uint32_t begins_ = 0;  // bit n: a phase begins with state n
  std::uint8_t count_ = 0;
  std::uint8_t phase_ = 0;  // first state of the newest phase
  bool phase_owner_ = false;
  bool of_level_ = false;     // state 0 is that of the level
  bool forgot_ = false;       // there were older states
  bool bare_before_ = false;  // the older states had no kept component
};

}  // namespace mobula::server

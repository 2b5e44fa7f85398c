// Estimates when each tick of the server arrives without delay: a line of slope 1 through the earliest arrivals of the
// last seconds. Local time may begin anywhere. A server that pauses, a path that gets longer or a clock that jumps
// makes all arrivals later. The line follows within seconds, and within a few arrivals if it is far off.
#pragma once

#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/ecs/pool.hpp>

namespace mobula::client {

class ArrivalLine {
 public:
  explicit ArrivalLine(core::Nanoseconds tick_length);

  /// Adds an arrival. Returns true if the line was far off and has moved.
  bool add(ecs::Tick tick, core::Nanoseconds now);
  /// Returns whether an arrival was added. at() requires one.
  [[nodiscard]] bool known() const { return known_; }
  /// Returns the tick that would arrive at `now`. It grows by one per tick length, except where the line moves.
  [[nodiscard]] double at(core::Nanoseconds now) const;

 private:
  static constexpr std::size_t spans = 12;

  [[nodiscard]] double ticks_since_origin(core::Nanoseconds now) const;
  // Ticks behind the line from which on an arrival counts as far off.
  [[nodiscard]] double far_off() const;
  bool begin_span(std::int64_t span);
  bool judge_steady(double offset);
  void restart(double earliest);

  core::Nanoseconds tick_length_;
  core::Nanoseconds span_length_;
  bool known_ = false;
  core::Nanoseconds origin_ = 0;
  ecs::Tick origin_tick_ = 0;
  std::int64_t span_ = 0;               // current one, counted from origin_
  std::array<double, spans> earliest_;  // by span % spans: its earliest arrival; infinity if there is none
  std::uint32_t arrivals_ = 0;          // in the current span
  std::uint32_t steady_ = 0;            // latest arrivals in a row that were far off by about the same amount
  double last_offset_ = 0;
  double line_ = 0;  // smallest of earliest_
};

}  // namespace mobula::client

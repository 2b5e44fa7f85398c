// When which tick of the server arrives if nothing holds it up: a straight line through the earliest arrivals of the
// last seconds. Local time may begin anywhere. A server that stands still, a path that gets longer and a clock that
// jumps make later arrivals the rule: the line follows within seconds, and within a few arrivals if it is far off.
#pragma once

#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/ecs/pool.hpp>

namespace mobula::client {

class ArrivalLine {
 public:
  explicit ArrivalLine(core::Nanoseconds tick_length);

  // True if the line was far off and has moved.
  bool add(ecs::Tick tick, core::Nanoseconds now);
  [[nodiscard]] bool known() const { return known_; }
  // The tick that would be arriving now. Continuous, and grows by one per tick's length but where the line is moved.
  [[nodiscard]] double at(core::Nanoseconds now) const;

 private:
  static constexpr std::size_t spans = 12;

  [[nodiscard]] double ticks_since_origin(core::Nanoseconds now) const;
  // By how much arrivals are later than the line when they are not the same line's.
  [[nodiscard]] double far_off() const;
  bool begin_span(std::int64_t span);
  bool judge_steady(double offset);
  void begin_anew(double earliest);

  core::Nanoseconds tick_length_;
  core::Nanoseconds span_length_;
  bool known_ = false;
  core::Nanoseconds origin_ = 0;
  ecs::Tick origin_tick_ = 0;
  std::int64_t span_ = 0;               // since origin_, the one under way
  std::array<double, spans> earliest_;  // by span % spans: of the arrivals in it; infinity: none
  std::uint32_t arrivals_ = 0;          // in the span under way
  std::uint32_t steady_ = 0;            // the last so many were far off, each by about as much as the one before
  double last_offset_ = 0;
  double line_ = 0;  // the smallest of them
};

}  // namespace mobula::client

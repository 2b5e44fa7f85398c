// How far a prediction runs ahead. A command is given for the clock's target tick, at which it arrives in time. The
// prediction is `delay` ticks behind the target, so a command takes effect that much later, and fewer ticks are
// predicted.
//
//   newest complete      predicted        target of commands
//   ──────●──────────────────●──────────────────●────────►  ticks
//         └ at most predicted_max ┘ └──── delay ────┘
//
// The delay rises at once to the clock's margin, which grows with jitter, and to what keeps the predicted ticks within
// their limit. It falls when less has sufficed for two seconds. The predicted moment changes its speed by a tenth while
// the delay changes. At the limit of predicted ticks it stands still: the prediction stalls. The time of a stall is no
// input delay.
#pragma once

#include <cstdint>

namespace mobula::client {

/// Limits of the input delay, in ticks.
struct InputDelayLimits {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::uint32_t predicted_max = 32;  ///< Most ticks between the newest complete one and the predicted one.
};

class InputDelay {
 public:
  InputDelay(const InputDelayLimits& limits, std::uint32_t ticks_per_second)
      : limits_(limits), hold_ticks_(2.0 * ticks_per_second), ticks_(limits.least) {}

  /// Notes that a tick has become complete, the next one after `before`.
  void on_complete(double before);
  /// Returns the predicted moment for a target that never decreases. `margin` is ServerClock::margin, `complete` the
  /// newest complete tick.
  double advance(double target, double margin, double complete);

  /// Returns the delay that is aimed at, in ticks.
  [[nodiscard]] std::uint32_t ticks() const { return ticks_; }
  /// Returns the distance between the predicted moment and the target, in ticks. A stall increases it.
  [[nodiscard]] double distance() const { return distance_; }
  /// Returns the delay at present, in ticks: the distance, within the limits.
  [[nodiscard]] double present() const;
  [[nodiscard]] bool is_stalled() const { return stalled_; }
  /// Returns how many times the prediction has stalled.
  [[nodiscard]] std::uint64_t stalls() const { return stalls_; }

 private:
  [[nodiscard]] std::uint32_t most() const { return limits_.most > limits_.least ? limits_.most : limits_.least; }
  [[nodiscard]] std::uint32_t wanted(double margin) const;
  void choose(std::uint32_t wanted, double passed);

  InputDelayLimits limits_;
  double hold_ticks_;
  double lead_ = 0;  // bound for nearly all distances of the target from the newest complete tick
  std::uint32_t ticks_;
  double enough_for_ = 0;     // ticks for which a smaller delay has sufficed
  std::uint32_t enough_ = 0;  // greatest delay wanted during that time
  double distance_ = 0;
  double target_ = 0;
  bool started_ = false;
  bool stalled_ = false;
  std::uint64_t stalls_ = 0;
};

}  // namespace mobula::client

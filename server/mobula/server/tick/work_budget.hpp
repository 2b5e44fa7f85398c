// CPU time that a tick has for newcomers: clients that join or rejoin, and transfers of levels. Clients that play take
// what they need. Newcomers share what is left of the budget, which is a share of the tick's period.
//
//   begin_tick ─ messages ─ [admissions] ─ game, publication, deltas ─ [first states] ─ end_tick
//                            until a quarter of what the rest of the      until the budget
//                            tick is expected to leave of the budget      is used up
//
// Admissions delay the datagrams of those who play, and first states follow them: so the smaller part is theirs.
//
// Both brackets have a least time, so that a tick which players fill alone still admits some. Work that an admission
// causes elsewhere in its tick shows in no clock beforehand. So the number of admissions per tick is limited as well:
// it grows while ticks keep their budget, and halves when one does not.
//
// The budget has no clock of its own. A simulation hands in a virtual one, so that a seed admits the same clients in
// the same ticks.
#pragma once

#include <cstdint>
#include <functional>
#include <mobula/core/clock.hpp>

namespace mobula::server {

class WorkBudget {
 public:
  using Clock = std::function<core::Nanoseconds()>;

  /// Both brackets have this share of the period in any case, so a lower budget would change nothing.
  static constexpr std::uint32_t percent_least = 5;

  struct Config {
    core::Nanoseconds period = 0;
    std::uint32_t percent = 0;  ///< share of the period; less than percent_least counts as that
    Clock clock{};              ///< null disables the budget
  };

  explicit WorkBudget(Config config);

  /// Returns whether newcomers are limited to the budget.
  [[nodiscard]] bool limited() const { return config_.clock != nullptr; }

  void begin_tick();
  void begin_admissions();
  void begin_first_states();
  /// Returns whether the current bracket has time for another newcomer. The first one is always served.
  [[nodiscard]] bool has_time() const { return config_.clock() < serve_until_; }
  /// Ends the current bracket.
  void end_serving() { served_time_ += config_.clock() - bracket_began_; }
  void end_tick(std::uint32_t admitted);

  /// Returns the maximum number of admissions in the current tick.
  [[nodiscard]] std::uint32_t admissions_max() const { return admissions_max_; }
  /// Returns the duration of the last tick.
  [[nodiscard]] core::Nanoseconds last_tick() const { return last_tick_; }
  [[nodiscard]] core::Nanoseconds period() const { return config_.period; }

 private:
  Config config_;
  core::Nanoseconds budget_;
  core::Nanoseconds least_;  // time of a bracket
  core::Nanoseconds began_ = 0;
  core::Nanoseconds bracket_began_ = 0;
  core::Nanoseconds serve_until_ = 0;
  core::Nanoseconds served_time_ = 0;  // in this tick
  core::Nanoseconds expected_ = 0;     // time of a tick without its brackets
  core::Nanoseconds last_tick_ = 0;
  std::uint32_t admissions_max_;
};

}  // namespace mobula::server

// Estimates, as continuous ticks: where the server is, for which tick to give commands, and which moment to show. It
// uses the ticks and arrival times of deltas, and the session's estimates of RTT and jitter. The server's feedback on
// how early commands arrive adjusts the target.
//
//       view          newest received      server                 target
//   ──────●──────────────────┼─────────────────●──────────────────────●────►  ticks
//         └ 1 tick + lateness of deltas ┘      └ half RTT, 1 tick, margin ┘
//
// Target and view never go back. They are corrected by running up to 10 % and 5 % faster or slower than the server.
// They jump forward only when they are far behind: in the beginning, or after a pause. While the server is silent the
// clock goes on for a few ticks only. A server therefore sends its tick even if nothing has changed.
#pragma once

#include <mobula/client/connection/arrival_line.hpp>
#include <mobula/client/connection/slewed_tick.hpp>
#include <mobula/transport/link_estimates.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::client {

class ServerClock {
 public:
  explicit ServerClock(std::uint32_t ticks_per_second);

  /// Notes the arrival of a delta of `tick`, which the server sent at the end of that tick.
  void on_delta(ecs::Tick tick, core::Nanoseconds now);
  /// Adapts the margin to how early or late the server reports commands to arrive.
  void on_feedback(const wire::CommandFeedback& feedback, core::Nanoseconds now);
  /// Updates the estimates of the path. Call it with every update, or more often.
  void on_link(const transport::LinkEstimates& link, core::Nanoseconds now);

  /// Returns false until the first delta; all ticks are 0 until then.
  [[nodiscard]] bool known() const { return line_.known(); }
  /// Returns the tick of the server: n when it has just ended tick n.
  [[nodiscard]] double server_tick(core::Nanoseconds now) const;
  /// Returns the tick for commands given at `now`: a command for floor(target_tick) arrives in time, but not much
  /// earlier.
  double target_tick(core::Nanoseconds now);
  /// Returns the moment to show at `now`: between the values of floor(view_tick) and of the next tick. At most the
  /// newest received.
  double view_tick(core::Nanoseconds now);

  /// Returns the ticks by which the target is further ahead than the path alone requires.
  [[nodiscard]] double margin() const;
  /// Returns the ticks by which the view is behind the newest tick that could have arrived, including one tick to
  /// interpolate.
  [[nodiscard]] double view_delay() const { return 1 + lateness_.nearly_all; }

 private:
  // Smallest RTT of the last seconds. Much larger ones come from a server or client that paused.
  struct RttFloor {
    core::Nanoseconds before = 0;
    core::Nanoseconds smallest = 0;  // since `began`
    core::Nanoseconds began = 0;
    std::uint32_t estimates = 0;
  };

  // Lateness of deltas, in ticks.
  struct Lateness {
    double mean = 0;        // behind the line
    double nearly_all = 0;  // bound for nearly all next deltas; losses and ticks without a delta raise it
  };

  [[nodiscard]] double to_ticks(core::Nanoseconds time) const;
  [[nodiscard]] double one_way() const;
  [[nodiscard]] double lateness_limit() const;
  [[nodiscard]] double head_start() const;
  [[nodiscard]] double silent_from() const;

  core::Nanoseconds tick_length_;
  ArrivalLine line_;
  core::Nanoseconds rtt_ = 0;  // 0 until measured
  RttFloor rtt_floor_;
  core::Nanoseconds rtt_variation_ = 0;
  ecs::Tick newest_ = 0;
  Lateness lateness_;
  Lateness settled_lateness_;  // before deltas arrived that may belong to another line
  double lead_ = 0;            // part of the margin that follows from the server's feedback
  std::uint32_t last_done_ = 0;
  core::Nanoseconds lead_settles_ = 0;  // until then feedback is about commands given with another lead
  SlewedTick target_;
  SlewedTick view_;
};

}  // namespace mobula::client

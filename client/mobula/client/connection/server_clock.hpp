// Where the server is, where commands should be aimed, and what moment to show: as continuous ticks, from the ticks and
// arrivals of deltas, what the session measures of the path, and the server's word on how early commands come.
//
//       view          newest received      server                 target
//   ──────●──────────────────┼─────────────────●──────────────────────●────►  ticks
//         └ 1 tick + lateness of deltas ┘      └ half RTT, 1 tick, margin ┘
//
// Target and view never go back. They are led to where they should be by running up to 10 and 5 % faster or slower than
// the server, and jump forward only when they are far behind: in the beginning, or after a pause. While the server is
// silent the clock goes on for some ticks only: what it does then is not known. So a server that has nothing to tell
// should say its tick all the same.
#pragma once

#include <mobula/client/connection/arrival_line.hpp>
#include <mobula/client/connection/slewed_tick.hpp>
#include <mobula/transport/link_estimates.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::client {

class ServerClock {
 public:
  explicit ServerClock(std::uint32_t ticks_per_second);

  // A delta of that tick has come, at its end sent by the server.
  void on_delta(ecs::Tick tick, core::Nanoseconds now);
  void on_feedback(const wire::CommandFeedback& feedback, core::Nanoseconds now);
  // With every update, or more often.
  void on_link(const transport::LinkEstimates& link, core::Nanoseconds now);

  // False until the first delta; until then all ticks are 0.
  [[nodiscard]] bool known() const { return line_.known(); }
  // n: the server has just ended tick n.
  [[nodiscard]] double server_tick(core::Nanoseconds now) const;
  // A command given now is for tick floor(target_tick): it comes in time, but not much before.
  double target_tick(core::Nanoseconds now);
  // What to show: between the values of tick floor(view_tick) and those of the next. Not after the newest received.
  double view_tick(core::Nanoseconds now);

  // Ticks that commands are aimed further ahead than the path alone asks for.
  [[nodiscard]] double margin() const;
  // Ticks that the view is behind the newest that could be there, one tick included.
  [[nodiscard]] double view_delay() const { return 1 + lateness_.nearly_all; }

 private:
  // The smallest RTT of the last seconds. What is far above it is of a server or client that stood still.
  struct RttFloor {
    core::Nanoseconds before = 0;
    core::Nanoseconds smallest = 0;  // since `began`
    core::Nanoseconds began = 0;
    std::uint32_t estimates = 0;
  };

  // How late deltas are, in ticks.
  struct Lateness {
    double mean = 0;        // against the line
    double nearly_all = 0;  // what is next to come has come by then; losses and ticks without a delta make it later
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
  Lateness settled_lateness_;  // before deltas came that may be of another line
  double lead_ = 0;            // what the margins that the server reports add to the margin
  std::uint32_t last_done_ = 0;
  core::Nanoseconds lead_settles_ = 0;  // until then what it reports is of commands that were not aimed so
  SlewedTick target_;
  SlewedTick view_;
};

}  // namespace mobula::client

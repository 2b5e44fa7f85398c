// Queue of the clients that join or rejoin. A client is a newcomer from its connection until it arrives: until it has
// received all that it sees, or has had `ClientSession::turns_max` turns. Clients that play are served in each tick.
// Newcomers take turns: the one that connected first comes first, as many as the tick's work budget allows, and at
// least one.
//
// A newcomer keeps its place until it has arrived, which takes a few turns. If all took turns evenly, what they see
// would change between two turns of theirs, and none would arrive. A client that plays and is sent a level goes to the
// end of the queue with each turn. Admissions do not wait for it.
//
// None is admitted while an admitted one waits: clients that only wait would cost the game and the tick as much as
// players.
//
//   turn of admission     Hello is handled: Game::join, Welcome
//   turn of first states  visibility query, deltas, parts of a level, rejoin tokens
//
// The queue has no state besides the sessions: it is collected from them for each round of turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mobula/core/time_histogram.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/rush.hpp>
#include <mobula/server/tick/work_budget.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::server {

/// Newcomers at the end of the last tick, and totals.
struct NewcomerStats {
  std::uint32_t present = 0;           ///< connected, and not arrived
  std::uint32_t waiting = 0;           ///< those with something to receive or to send that got no turn in the last tick
  core::Nanoseconds longest_wait = 0;  ///< time since the connection of the newcomer that connected first
  std::uint64_t arrived = 0;           ///< newcomers that have arrived
  core::TimeHistogram arrival_ns;      ///< time from connection to arrival
};

class Newcomers {
 public:
  using Sessions = std::span<const std::unique_ptr<ClientSession>>;

  explicit Newcomers(WorkBudget::Config config) : budget_(std::move(config)) {}

  /// Returns whether newcomers take turns. If not, they are served in each tick like clients that play.
  [[nodiscard]] bool take_turns() const { return budget_.limited(); }
  void begin_tick();
  /// Gives turns to the sessions for which wants(session) holds, by turn(session), until the bracket's time is up.
  template <class Wants, class Turn>
  void admit(Sessions sessions, core::Nanoseconds now, Wants&& wants, Turn&& turn) {
    budget_.begin_admissions();
    collect(sessions, wants);
    admitted_ = give_turns(sessions, waiting_for_states_ == 0 ? budget_.admissions_max() : 0, now, turn);
    budget_.end_serving();
  }
  template <class Wants, class Turn>
  void send_first_states(Sessions sessions, core::Nanoseconds now, Wants&& wants, Turn&& turn) {
    budget_.begin_first_states();
    collect(sessions, wants);
    const std::uint32_t admissions_waiting = waiting_;
    give_turns(sessions, static_cast<std::uint32_t>(queue_.size()), now, turn);
    waiting_for_states_ = waiting_ - admissions_waiting;
    budget_.end_serving();
  }
  /// Notes that a newcomer has arrived.
  void note_arrival(ClientSession& session, core::Nanoseconds now);
  /// Counts the newcomers, and reports a rush in the log.
  void end_tick(Sessions sessions, core::Nanoseconds now);

  [[nodiscard]] const NewcomerStats& stats() const { return stats_; }

 private:
  using Place = std::pair<core::Nanoseconds, std::size_t>;  // since when it waits, position in the sessions

  template <class Wants>
  void collect(Sessions sessions, Wants&& wants) {
    queue_.clear();
    for (std::size_t at = 0; at < sessions.size(); ++at)
      if (wants(*sessions[at])) queue_.emplace_back(sessions[at]->waiting_since(), at);
    std::ranges::sort(queue_);
  }
  template <class Turn>
  std::uint32_t give_turns(Sessions sessions, std::uint32_t most, core::Nanoseconds now, Turn&& turn) {
    std::uint32_t given = 0;
    for (const auto& [last, at] : queue_) {
      ClientSession& session = *sessions[at];
      if (given >= most || (given > 0 && !budget_.has_time())) {
        ++session.turns.missed;
        waiting_ += session.newcomer ? 1 : 0;
        continue;
      }
      turn(session);
      session.turns = {.last = now, .missed = 0, .count = session.turns.count + 1};
      ++given;
    }
    return given;
  }

  WorkBudget budget_;
  NewcomerStats stats_;
  Rush rush_;
  std::vector<Place> queue_;  // in the current bracket
  std::uint32_t admitted_ = 0;
  std::uint32_t waiting_ = 0;             // in this tick
  std::uint32_t waiting_for_states_ = 0;  // in the last tick
};

}  // namespace mobula::server

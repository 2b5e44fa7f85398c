// Simulates a server that ticks, a client that gives a command per tick of its target, and the path between them.
// Records the client's clock beside the true time.
#pragma once

#include <algorithm>
#include <cmath>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/client/connection/server_clock.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/link_estimates.hpp>
#include <queue>
#include <vector>

namespace mobula::client::test {

struct Path {
  core::Nanoseconds delay = 40 * core::millisecond;  // one way
  core::Nanoseconds jitter = 0;                      // maximum additional delay
  std::uint32_t loss_permille = 0;
};

// The client's clock and the true time at one moment.
struct Moment {
  core::Nanoseconds now;
  double truth;  // ticks that the server has ended
  double server;
  double target;
  double view;
  ecs::Tick newest;
};

class SimulatedClock {
 public:
  SimulatedClock(std::uint32_t ticks_per_second, const Path& path, std::uint64_t seed)
      : clock(ticks_per_second),
        tick_length_(core::second / ticks_per_second),
        down_(path),
        up_(path),
        random_(seed),
        next_tick_at_(now_ + random_.below(static_cast<std::uint32_t>(tick_length_))) {}

  ServerClock clock;
  std::vector<Moment> moments;      // one per millisecond
  std::vector<int> margins;         // margin of every command at its first arrival
  std::uint64_t commands_lost = 0;  // first arrivals that were lost

  void set_paths(const Path& path) { down_ = up_ = path; }
  void set_up(const Path& path) { up_ = path; }
  // Delays the next tick of the server, which does not catch up.
  void stall(core::Nanoseconds time) { next_tick_at_ += time; }
  // Suspends the client. Datagrams that arrive meanwhile are handled afterwards.
  void pause(core::Nanoseconds time) { paused_until_ = now_ + time; }
  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  [[nodiscard]] core::Nanoseconds tick_length() const { return tick_length_; }
  [[nodiscard]] ecs::Tick tick() const { return tick_; }

  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = now_ + time; now_ < end; now_ += core::millisecond) {
      while (next_tick_at_ <= now_) server_tick();
      receive_on_server();
      if (now_ < paused_until_) continue;
      receive_on_client();
      give_command();
      moments.push_back(
          {now_, truth(), clock.server_tick(now_), clock.target_tick(now_), clock.view_tick(now_), newest_});
    }
  }

 private:
  struct Delta {
    core::Nanoseconds at;
    core::Nanoseconds echoed;  // time at which the newest received command was sent; 0 if there is none
    ecs::Tick tick;
    wire::CommandFeedback feedback;
    bool operator<(const Delta& other) const { return at > other.at; }
  };
  struct Command {
    core::Nanoseconds at;
    core::Nanoseconds sent;
    std::uint32_t number;
    ecs::Tick tick;
    bool operator<(const Command& other) const { return at > other.at; }
  };

  [[nodiscard]] double truth() const {
    return tick_ + 1 - static_cast<double>(next_tick_at_ - now_) / static_cast<double>(tick_length_);
  }
  bool lost(const Path& path) { return random_.chance(path.loss_permille, 1000); }
  core::Nanoseconds arrival(const Path& path) {
    return now_ + path.delay + (path.jitter > 0 ? random_.below(static_cast<std::uint32_t>(path.jitter)) : 0);
  }

  void server_tick() {
    ++tick_;
    next_tick_at_ += tick_length_;
    feedback_.done = received_;
    if (!lost(down_)) deltas_.push({arrival(down_), echo_, tick_, feedback_});
    echo_ = 0;
    has_margin_ = false;
  }

  // A lost command arrives with the next input, which repeats it.
  void receive_on_server() {
    for (; !commands_.empty() && commands_.top().at <= now_; commands_.pop()) {
      const Command& command = commands_.top();
      echo_ = std::max(echo_, command.sent);
      const std::uint32_t first = received_ + 1;
      for (std::uint32_t number = first; number <= command.number; ++number) {
        const int margin = static_cast<int>(std::int64_t{ticks_of_[number - 1]} - (tick_ + 1));
        margins.push_back(margin);
        feedback_.margin = static_cast<std::int8_t>(
            std::clamp(has_margin_ ? std::min<int>(feedback_.margin, margin) : margin, -128, 127));
        has_margin_ = true;
      }
      received_ = std::max(received_, command.number);
    }
  }

  void receive_on_client() {
    for (; !deltas_.empty() && deltas_.top().at <= now_; deltas_.pop()) {
      const Delta& delta = deltas_.top();
      newest_ = std::max(newest_, delta.tick);
      clock.on_delta(delta.tick, now_);
      if (delta.echoed != 0) link_.on_rtt(now_ - delta.echoed);
      clock.on_feedback(delta.feedback, now_);
    }
    clock.on_link(link_.estimates(), now_);
  }

  void give_command() {
    if (!clock.known()) return;
    const auto tick = static_cast<ecs::Tick>(clock.target_tick(now_));
    if (!ticks_of_.empty() && tick <= ticks_of_.back()) return;
    ticks_of_.push_back(tick);
    if (lost(up_)) {
      ++commands_lost;
    } else {
      commands_.push({arrival(up_), now_, static_cast<std::uint32_t>(ticks_of_.size()), tick});
    }
  }

  core::Nanoseconds tick_length_;
  Path down_;
  Path up_;
  core::Random random_;
  core::Nanoseconds now_ = 1'000'000 * core::second;
  core::Nanoseconds next_tick_at_;
  core::Nanoseconds paused_until_ = 0;
  ecs::Tick tick_ = 5000;
  ecs::Tick newest_ = 0;
  std::priority_queue<Delta> deltas_;
  std::priority_queue<Command> commands_;
  std::vector<ecs::Tick> ticks_of_;  // tick of command n at index n - 1
  std::uint32_t received_ = 0;
  core::Nanoseconds echo_ = 0;
  bool has_margin_ = false;
  wire::CommandFeedback feedback_;
  transport::LinkEstimator link_;
};

}  // namespace mobula::client::test

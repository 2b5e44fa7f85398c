#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/tick/tick_pacer.hpp>

namespace mobula::server {
namespace {

// Hysteresis: a second is full from `full` on, and overload ends below `roomy`.
constexpr double full = 0.95;
constexpr double roomy = 0.8;

}  // namespace

TickPacer::TickPacer(Config config, core::Nanoseconds now)
    : period_(core::second / config.ticks_per_second),
      catch_up_max_(config.catch_up_max),
      due_(now + period_),
      began_(now),
      second_began_(now),
      ended_(now) {
  MOBULA_ASSERT(config.ticks_per_second > 0, "ticks_per_second must be positive");
}

void TickPacer::begin(core::Nanoseconds now) {
  began_ = now;
  held_up_ += std::max<core::Nanoseconds>(now - std::max(due_, ended_), 0);
  times_.start_delay_ns.add(now - due_);
}

bool TickPacer::end(core::Nanoseconds now) {
  const core::Nanoseconds took = std::max<core::Nanoseconds>(now - began_, 0);
  times_.duration_ns.add(took);
  busy_ += took;
  ended_ = now;
  due_ += period_;
  if (const core::Nanoseconds late = now - due_; late > catch_up_max_ * period_) {
    times_.lost += late;
    due_ = now;
  }
  return now - second_began_ >= core::second && judge(now);
}

bool TickPacer::judge(core::Nanoseconds now) {
  times_.span = now - second_began_;
  times_.load = static_cast<double>(busy_) / static_cast<double>(times_.span);
  times_.held_up = static_cast<double>(held_up_) / static_cast<double>(times_.span);
  const bool lost = times_.lost != lost_before_;
  const bool was = times_.overloaded;
  if (lost || times_.load >= full) times_.overloaded = true;
  if (!lost && times_.load < roomy) times_.overloaded = false;
  second_began_ = now;
  busy_ = held_up_ = 0;
  lost_before_ = times_.lost;
  return was != times_.overloaded;
}

}  // namespace mobula::server

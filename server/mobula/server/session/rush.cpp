#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/session/rush.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr core::Nanoseconds line_interval = core::second;
// A rush ends when the last newcomer has arrived, or after this time in which none had to wait.
constexpr core::Nanoseconds quiet_time = core::second;

bool is_busy(const Rush::Progress& progress) {
  return progress.waiting > 0 || progress.present >= Rush::newcomers_least;
}

}  // namespace

void Rush::update(const Progress& progress, core::Nanoseconds now) {
  if (std::exchange(arrived_, progress.arrived) != progress.arrived) last_arrival_ = now;
  if (!lasts_ && is_busy(progress)) begin(progress, now);
  if (!lasts_) {
    arrived_before_ = progress.arrived;
    return;
  }
  longest_tick_ = std::max(longest_tick_, progress.tick);
  if (is_busy(progress)) last_busy_ = now;
  if (progress.present == 0 || now - last_busy_ > quiet_time) return end(progress);
  if (now < next_line_) return;
  next_line_ = now + line_interval;
  core::log_info("server", "a rush of clients: {} arrived, {} still to arrive, the first since {:.1f} s",
                 progress.arrived - arrived_before_, progress.present, core::in_seconds(progress.longest_wait));
}

void Rush::begin(const Progress& progress, core::Nanoseconds now) {
  lasts_ = true;
  began_ = now - progress.longest_wait;
  last_arrival_ = now;
  next_line_ = now + line_interval;
  longest_tick_ = 0;
  core::log_info("server", "a rush of clients: {} joining at once, served as ticks have time for them",
                 progress.present);
}

void Rush::end(const Progress& progress) {
  lasts_ = false;
  const double percent =
      100 * core::in_ms(longest_tick_) / core::in_ms(std::max<core::Nanoseconds>(progress.period, 1));
  // Not rate-limited: it is the result of the rush.
  core::log_line(core::LogLevel::info, "server",
                 core::format("the rush is over: {} arrived within {:.2f} s; the longest tick took {:.1f} ms, "
                              "{:.0f}% of its period",
                              core::counted(progress.arrived - arrived_before_, "client", "clients"),
                              core::in_seconds(last_arrival_ - began_), core::in_ms(longest_tick_), percent));
  arrived_before_ = progress.arrived;
}

}  // namespace mobula::server

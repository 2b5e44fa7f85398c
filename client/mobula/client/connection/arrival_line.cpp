#include <algorithm>
#include <cmath>
#include <limits>
#include <mobula/client/connection/arrival_line.hpp>

namespace mobula::client {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr core::Nanoseconds span_min = 150 * core::millisecond;
constexpr core::Nanoseconds span_ticks = 6;
// This many arrivals that are all far off, in one span or evenly in a row, belong to another line. A burst after a
// silence does not: its arrivals come ever closer to the old line.
constexpr std::uint32_t judged_arrivals = 4;
constexpr double even_ticks = 1;
constexpr core::Nanoseconds far_off_min = 150 * core::millisecond;
constexpr double far_off_ticks = 4;

}  // namespace

ArrivalLine::ArrivalLine(core::Nanoseconds tick_length)
    : tick_length_(tick_length), span_length_(std::max(span_min, span_ticks * tick_length)) {
  earliest_.fill(never);
}

double ArrivalLine::ticks_since_origin(core::Nanoseconds now) const {
  return static_cast<double>(now - origin_) / static_cast<double>(tick_length_);
}

double ArrivalLine::at(core::Nanoseconds now) const { return origin_tick_ + ticks_since_origin(now) - line_; }

bool ArrivalLine::add(ecs::Tick tick, core::Nanoseconds now) {
  if (!known_) {
    known_ = true;
    origin_ = now;
    origin_tick_ = tick;
  }
  const std::int64_t span = (now - origin_) / span_length_;
  bool moved = span > span_ && begin_span(span);
  const double offset = ticks_since_origin(now) - (static_cast<double>(tick) - origin_tick_);
  moved = judge_steady(offset) || moved;
  double& earliest = earliest_[static_cast<std::size_t>(span_) % spans];
  earliest = std::min(earliest, offset);
  ++arrivals_;
  line_ = *std::min_element(earliest_.begin(), earliest_.end());
  return moved;
}

double ArrivalLine::far_off() const {
  return std::max(far_off_ticks, static_cast<double>(far_off_min) / static_cast<double>(tick_length_));
}

bool ArrivalLine::begin_span(std::int64_t span) {
  const double last = earliest_[static_cast<std::size_t>(span_) % spans];
  const bool far = arrivals_ >= judged_arrivals && last > line_ + far_off();
  if (far) restart(last);
  const std::int64_t steps = std::min<std::int64_t>(span - span_, spans);
  for (std::int64_t i = 0; i < steps; ++i) earliest_[static_cast<std::size_t>(span - i) % spans] = never;
  span_ = span;
  arrivals_ = 0;
  return far;
}

bool ArrivalLine::judge_steady(double offset) {
  const bool even = std::abs(offset - last_offset_) < even_ticks;
  last_offset_ = offset;
  if (offset <= line_ + far_off()) {
    steady_ = 0;
    return false;
  }
  steady_ = even ? steady_ + 1 : 1;
  if (steady_ < judged_arrivals) return false;
  steady_ = 0;
  restart(offset);
  return true;
}

void ArrivalLine::restart(double earliest) {
  earliest_.fill(never);
  earliest_[static_cast<std::size_t>(span_) % spans] = earliest;
}

}  // namespace mobula::client

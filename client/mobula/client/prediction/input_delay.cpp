#include <algorithm>
#include <cmath>
#include <mobula/client/prediction/input_delay.hpp>

namespace mobula::client {
namespace {

constexpr double speed_change = 0.10;
// A distance that is further off than this is not corrected smoothly: it comes from a pause.
constexpr double far_off_ticks = 8;
constexpr double lead_growth = 0.25;
constexpr double lead_decay = 1.0 / 128;
// The greatest moment before a tick, in fractions that a float of any tick can hold.
constexpr double just_before = 1.0 / 1024;

}  // namespace

void InputDelay::on_complete(double before) {
  const double lead = target_ - before;
  lead_ += (lead - lead_) * (lead > lead_ ? lead_growth : lead_decay);
}

std::uint32_t InputDelay::wanted(double margin) const {
  const double beyond = std::ceil(lead_ - static_cast<double>(limits_.predicted_max));
  const double needed = std::max(std::round(margin), beyond);
  return static_cast<std::uint32_t>(
      std::clamp(needed, static_cast<double>(limits_.least), static_cast<double>(most())));
}

double InputDelay::present() const {
  return std::clamp(distance_, static_cast<double>(limits_.least), static_cast<double>(most()));
}

void InputDelay::choose(std::uint32_t wanted, double passed) {
  if (wanted >= ticks_) {
    ticks_ = wanted;
    enough_ = 0;
    enough_for_ = 0;
    return;
  }
  enough_ = std::max(enough_, wanted);
  enough_for_ += passed;
  if (enough_for_ < hold_ticks_) return;
  ticks_ = enough_;
  enough_ = 0;
  enough_for_ = 0;
}

double InputDelay::advance(double target, double margin, double complete) {
  const double passed = started_ ? std::max(target - target_, 0.0) : 0;
  const double before = started_ ? target_ - distance_ : 0;
  choose(wanted(margin), passed);
  const double off = static_cast<double>(ticks_) - distance_;
  if (!started_ || std::abs(off) > far_off_ticks || passed > far_off_ticks) {
    distance_ = ticks_;
  } else {
    distance_ += std::clamp(off, -passed * speed_change, passed * speed_change);
  }
  started_ = true;
  target_ = target;
  const double end = complete + limits_.predicted_max + 1;  // exclusive
  const bool limited = target - distance_ >= end;
  if (limited) distance_ = target - std::max(end - just_before, before);
  // A target that stands still, as of a silent server, does not end a stall.
  const bool stalled = limited || (stalled_ && target - distance_ >= end - 2 * just_before);
  if (stalled && !stalled_) ++stalls_;
  stalled_ = stalled;
  return std::max(target - distance_, complete);
}

}  // namespace mobula::client

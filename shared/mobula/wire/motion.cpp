#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mobula/core/assert.hpp>
#include <mobula/wire/motion.hpp>

namespace mobula::wire {
namespace {

constexpr std::int64_t scale = 64;

using Quaternion = std::array<std::int64_t, 4>;

// Returns n / d, rounded down. d > 0.
std::int64_t floor_div(std::int64_t n, std::int64_t d) { return n / d - (n % d < 0 ? 1 : 0); }

// Returns n / d, rounded to the nearest, ties up. d > 0.
std::int64_t round_div(std::int64_t n, std::int64_t d) { return floor_div(2 * n + d, 2 * d); }

std::int64_t dot(const Quaternion& a, const Quaternion& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += a[i] * b[i];
  return sum;
}

Quaternion unpack(const std::uint32_t* words, std::int64_t max) {
  Quaternion q{};
  std::int64_t left = 2 * max * max;
  const std::uint32_t omitted = words[0] & 3;  // a damaged mirror may have more; verification corrects it
  for (std::size_t i = 0, next = 1; i < 4; ++i) {
    if (i == omitted) continue;
    q[i] = 2 * static_cast<std::int64_t>(words[next++]) - max;
    left -= q[i] * q[i];
  }
  q[omitted] = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0))));
  return q;
}

std::uint32_t greatest(const Quaternion& q) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 1; i < 4; ++i)
    if (std::abs(q[i]) > std::abs(q[found])) found = i;
  return found;
}

std::uint64_t distance(std::int64_t a, std::int64_t b) { return static_cast<std::uint64_t>(std::abs(a - b)); }

// Line through an earlier state and the baseline.
struct VectorPath {
  const std::uint32_t* baseline;
  const std::uint32_t* earlier;
  std::uint32_t span;

  [[nodiscard]] std::int64_t step(std::size_t i) const {
    return static_cast<std::int64_t>(baseline[i]) - static_cast<std::int64_t>(earlier[i]);
  }
  // Returns a number after, or before, the baseline.
  [[nodiscard]] std::int64_t at(std::size_t i, std::int64_t ticks) const {
    return static_cast<std::int64_t>(baseline[i]) + round_div(step(i) * ticks, span);
  }
};

bool is_steady_vector(const Unit& unit, const Baselines& baselines) {
  if (baselines.early_baseline == nullptr) return false;
  const VectorPath path{baselines.baseline, baselines.early_baseline, baselines.time.early};
  std::uint64_t away = 0;
  for (std::size_t i = 0; i < unit.words; ++i)
    away += distance(path.at(i, -std::int64_t{baselines.time.span}), baselines.previous_baseline[i]);
  return away <= steady_vector_max;
}

// Even turn through an earlier state and the baseline.
class RotationPath {
 public:
  RotationPath(const Unit& unit, const std::uint32_t* baseline, const std::uint32_t* earlier, std::uint32_t span)
      : q1_(unpack(baseline, unit.max[1])), q2_(unpack(earlier, unit.max[1])), span_(span), turn_(dot(q1_, q2_)) {
    if (turn_ < 0) {
      turn_ = -turn_;
      for (std::int64_t& part : q2_) part = -part;
    }
    whole_ = std::max<std::int64_t>(dot(q1_, q1_), 1);
    turn_ = std::min(turn_, whole_);
    lag_ = ((whole_ - turn_) << bend_bits) / whole_;
  }
  // Returns the rotation after the baseline, or less than `span` before it.
  [[nodiscard]] RotationMotion at(std::int64_t ticks) const {
    RotationMotion motion;
    Quaternion before{};
    for (std::size_t i = 0; i < 4; ++i) {
      motion.p[i] = scale * q1_[i];
      before[i] = scale * q2_[i];
    }
    for (std::int64_t step = 0; step < ticks / span_; ++step) {
      const Quaternion now = motion.p;
      for (std::size_t i = 0; i < 4; ++i) motion.p[i] = round_div(2 * turn_ * now[i], whole_) - before[i];
      before = now;
    }
    if (const std::int64_t part = ticks % span_; part != 0) {
      const std::int64_t bend = bend_after(part);
      for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t straight = before[i] + (before[i] * bend >> bend_bits);
        motion.p[i] = ((span_ + part) * motion.p[i] - part * straight) >> 3;
      }
    }
    motion.turned = greatest(motion.p);
    return motion;
  }
  // Returns whether a state lies on the path, this number of ticks before the baseline.
  [[nodiscard]] bool passes(const Unit& unit, const std::uint32_t* words, std::uint32_t ticks) const {
    const std::array<std::uint32_t, 3> codes = codes_of(at(-std::int64_t{ticks}), words[0] & 3, unit.max[1]);
    std::uint64_t away = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) away += distance(codes[i], words[1 + i]);
    return away <= steady_rotation_max;
  }
  [[nodiscard]] std::uint64_t speed(std::uint32_t ticks) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += distance(q1_[i], q2_[i]) * ticks / static_cast<std::uint64_t>(span_) / 2;
    return sum;
  }

 private:
  // Returns by how much a state before must be longer, so that a line from it to the next one ends, after `part` more
  // ticks, where the turn does.
  [[nodiscard]] std::int64_t bend_after(std::int64_t part) const {
    const std::int64_t first = 15 * span_ * span_ * lag_;
    const std::int64_t second = (lag_ * lag_ >> bend_bits) * ((2 * part + 3 * span_) * (part + 2 * span_));
    return floor_div((first + second) * (2 * part + span_), 45 * span_ * span_ * span_);
  }

  static constexpr int bend_bits = 28;

  Quaternion q1_;
  Quaternion q2_;
  std::int64_t span_;
  std::int64_t turn_ = 0;
  std::int64_t whole_ = 1;
  std::int64_t lag_ = 0;  // 1 - turn / whole, in 1/2^28
};

}  // namespace

std::uint64_t root(std::uint64_t n) {
  auto r = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (r * r > n) --r;
  while ((r + 1) * (r + 1) <= n) ++r;
  return r;
}

VectorMotion predict_vector(const Unit& unit, const Baselines& baselines) {
  const Interval& time = baselines.time;
  VectorMotion motion{.steady = is_steady_vector(unit, baselines)};
  const VectorPath path{baselines.baseline, motion.steady ? baselines.early_baseline : baselines.previous_baseline,
                        motion.steady ? time.early : time.span};
  std::uint64_t way = 0;
  for (std::size_t i = 0; i < unit.words; ++i) {
    motion.at[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(path.at(i, time.age), 0, unit.max[i]));
    const auto step = static_cast<std::uint64_t>(std::abs(path.step(i)));
    if (!motion.steady) motion.speed += step * time.age / path.span;
    way += step;
  }
  motion.slow = motion.steady && way < slow_vector_end;
  return motion;
}

RotationMotion predict_rotation(const Unit& unit, const Baselines& baselines) {
  const Interval& time = baselines.time;
  if (baselines.early_baseline != nullptr) {
    const RotationPath path(unit, baselines.baseline, baselines.early_baseline, time.early);
    if (path.passes(unit, baselines.previous_baseline, time.span)) {
      RotationMotion motion = path.at(time.age);
      motion.steady = true;
      return motion;
    }
  }
  const RotationPath path(unit, baselines.baseline, baselines.previous_baseline, time.span);
  RotationMotion motion = path.at(time.age);
  motion.speed = path.speed(time.age);
  return motion;
}

RotationMotion motion_at_rest(const Unit& unit, const std::uint32_t* words) {
  RotationMotion motion;
  const Quaternion q = unpack(words, unit.max[1]);
  for (std::size_t i = 0; i < 4; ++i) motion.p[i] = scale * q[i];
  motion.turned = greatest(motion.p);
  return motion;
}

RotationMotion motion_at_rest(const std::array<double, 4>& rotation) {
  RotationMotion motion;
  for (std::size_t i = 0; i < 4; ++i)
    motion.p[i] = static_cast<std::int64_t>(std::floor(rotation[i] * (1 << 20) + 0.5));
  motion.turned = greatest(motion.p);
  return motion;
}

std::array<std::uint32_t, 3> codes_of(const RotationMotion& motion, std::uint32_t omitted, std::uint32_t max) {
  const std::int64_t wide = max;
  const auto length = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(dot(motion.p, motion.p))));
  const auto wanted = static_cast<std::int64_t>(root(static_cast<std::uint64_t>(2 * wide * wide)));
  const std::int64_t sign = motion.p[omitted] < 0 ? -1 : 1;
  std::array<std::uint32_t, 3> codes{};
  for (std::size_t i = 0, next = 0; i < 4; ++i) {
    if (i == omitted) continue;
    const std::int64_t part = round_div(motion.p[i] * sign * wanted, std::max<std::int64_t>(length, 1));
    codes[next++] = static_cast<std::uint32_t>(std::clamp<std::int64_t>((part + wide) >> 1, 0, wide));
  }
  return codes;
}

}  // namespace mobula::wire

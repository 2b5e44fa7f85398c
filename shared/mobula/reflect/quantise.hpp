// Quantisation of ranged floats to whole numbers of steps. All parts use this code, so that compiler, codec, server and
// mirror agree to the last bit: doubles inside, no fused multiply-add. quantise(value(q)) == q for every q, else the
// schema is refused.
#pragma once

#include <cmath>
#include <mobula/reflect/schema.hpp>

namespace mobula::reflect {

class Quantiser {
 public:
  Quantiser() = default;
  /// `field` must be a ranged float.
  explicit Quantiser(const Field& field)
      : low_(field.low), high_(field.high), step_(field.step), per_step_(1 / field.step), steps_(field.steps) {
    // If low is a whole number of steps, zero is exactly zero.
    const double origin = std::nearbyint(field.low / field.step);
    whole_ = std::abs(origin * field.step - field.low) <= 1e-9 * field.step;
    origin_ = whole_ ? origin : 0;
    base_ = whole_ ? 0 : field.low;
  }

  /// Returns the nearest step. Values outside the range are clamped, NaN becomes low.
  [[nodiscard]] std::uint64_t quantise(double value) const {
    if (!(value > low_)) return 0;
    if (value >= high_) return steps_;
    return static_cast<std::uint64_t>((value - low_) * per_step_ + 0.5);
  }

  /// Returns the value of a step; q is at most steps.
  [[nodiscard]] double value(std::uint64_t q) const { return value_between(static_cast<double>(q)); }
  /// Returns whether all values are whole numbers of steps, and how many steps the least one is.
  [[nodiscard]] bool is_whole() const { return whole_; }
  [[nodiscard]] double origin() const { return origin_; }
  /// Returns the distance between neighbouring values.
  [[nodiscard]] double step() const { return step_; }
  /// Returns the nearest value of the range; NaN is low.
  [[nodiscard]] double limit(double value) const {
    const double above = value > low_ ? value : low_;
    return above < high_ ? above : high_;
  }
  /// Returns the value between two steps.
  [[nodiscard]] double value_between(double steps) const { return (steps + origin_) * step_ + base_; }

 private:
  double low_ = 0;
  double high_ = 0;
  double step_ = 1;
  double per_step_ = 1;
  double origin_ = 0;  // low in steps, if that is a whole number
  double base_ = 0;    // low otherwise
  std::uint64_t steps_ = 0;
  bool whole_ = false;
};

}  // namespace mobula::reflect

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
  }

  /// Returns the nearest step. Values outside the range are clamped, NaN becomes low.
  [[nodiscard]] std::uint64_t quantise(double value) const {
    if (!(value > low_)) return 0;
    if (value >= high_) return steps_;
    return static_cast<std::uint64_t>((value - low_) * per_step_ + 0.5);
  }

  /// Returns the value of a step; q is at most steps.
  [[nodiscard]] double value(std::uint64_t q) const { return value_between(static_cast<double>(q)); }
  /// Returns the distance between neighbouring values.
  [[nodiscard]] double step() const { return step_; }
  /// Returns the nearest value of the range; NaN is low.
  [[nodiscard]] double limit(double value) const { return !(value > low_) ? low_ : value >= high_ ? high_ : value; }
  /// Returns the value between two steps.
  [[nodiscard]] double value_between(double steps) const {
    return whole_ ? (steps + origin_) * step_ : low_ + steps * step_;
  }

 private:
  double low_ = 0;
  double high_ = 0;
  double step_ = 1;
  double per_step_ = 1;
  double origin_ = 0;
  std::uint64_t steps_ = 0;
  bool whole_ = false;
};

}  // namespace mobula::reflect

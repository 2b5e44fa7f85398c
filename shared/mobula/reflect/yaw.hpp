// Rotation about +y (up), in degrees, as a unit quaternion. Does not use libm, so that every machine gets the same
// bits.
#pragma once

#include <cmath>
#include <span>

namespace mobula::reflect {

struct YawQuaternion {
  double y = 0;  // sine of half the angle
  double w = 1;  // cosine of half the angle
};

namespace detail {

constexpr double polynomial(std::span<const double> coefficients, double x) {
  double sum = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}
// Taylor series on [-pi/4, pi/4]: the first term left out is below 1e-16.
constexpr double sine(double x) {
  constexpr double odd[] = {
      1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
  return x * polynomial(odd, x * x);
}
constexpr double cosine(double x) {
  constexpr double even[] = {1,
                             -1.0 / 2,
                             1.0 / 24,
                             -1.0 / 720,
                             1.0 / 40320,
                             -1.0 / 3628800,
                             1.0 / 479001600,
                             -1.0 / 87178291200,
                             1.0 / 20922789888000};
  return polynomial(even, x * x);
}

}  // namespace detail

inline YawQuaternion quaternion_of_yaw(double degrees) {
  double half = std::fmod(degrees, 360.0) / 2;  // fmod is exact; half lies in (-180, 180)
  if (half > 90) half -= 180;                   // a quaternion and its negative are the same rotation: keep w >= 0
  if (half <= -90) half += 180;
  constexpr double radians = 0.017453292519943295;
  if (half > 45) return {detail::cosine((90 - half) * radians), detail::sine((90 - half) * radians)};
  if (half < -45) return {-detail::cosine((90 + half) * radians), detail::sine((90 + half) * radians)};
  return {detail::sine(half * radians), detail::cosine(half * radians)};
}

}  // namespace mobula::reflect

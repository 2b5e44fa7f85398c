// Random numbers: xoshiro256** (Blackman, Vigna 2018) seeded by splitmix64. It has its own distributions, since those
// of the standard library differ between implementations and worlds must not.
#pragma once

#include <array>
#include <cstdint>

namespace mobula::core {

/// Deterministic generator of random numbers. Not for secrets.
class Random {
 public:
  /// Complete state of the generator, for saves.
  using State = std::array<std::uint64_t, 4>;

  explicit Random(std::uint64_t seed);
  explicit Random(const State& state) : state_(state) {}

  [[nodiscard]] const State& state() const { return state_; }

  /// Returns 64 random bits.
  std::uint64_t next();

  /// Returns a number in [0, bound), uniform and without bias (Lemire 2019). bound > 0.
  std::uint32_t below(std::uint32_t bound);

  /// Returns a number in [low, high), uniform, with 24 random bits.
  float uniform(float low, float high);

  /// Returns true with probability `numerator / denominator`.
  bool chance(std::uint32_t numerator, std::uint32_t denominator);

 private:
  State state_;
};

}  // namespace mobula::core

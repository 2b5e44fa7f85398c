// xoshiro256** (Blackman, Vigna 2018) seeded by splitmix64, with own distributions:
// the standard library's differ between implementations, and worlds must not.
#pragma once

#include <array>
#include <cstdint>

namespace mobula::core {

class Random {
 public:
  // All that decides what comes next; for saves.
  using State = std::array<std::uint64_t, 4>;

  explicit Random(std::uint64_t seed);
  explicit Random(const State& state) : state_(state) {}

  [[nodiscard]] const State& state() const { return state_; }

  std::uint64_t next();

  // Uniform in [0, bound), without bias (Lemire 2019). bound > 0.
  std::uint32_t below(std::uint32_t bound);

  // Uniform in [low, high), 24 bits of it.
  float uniform(float low, float high);

  // True with probability `numerator / denominator`.
  bool chance(std::uint32_t numerator, std::uint32_t denominator);

 private:
  State state_;
};

}  // namespace mobula::core

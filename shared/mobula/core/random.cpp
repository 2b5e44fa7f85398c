#include <bit>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/core/random.hpp>

namespace mobula::core {

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15ull;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint32_t Random::below(std::uint32_t bound) {
  MOBULA_CHECK(bound > 0, "a random number below 0 was asked for: the bound must be positive");
  std::uint64_t product = (next() >> 32) * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0u - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

float Random::uniform(float low, float high) {
  const float value = low + (high - low) * (static_cast<float>(next() >> 40) * 0x1p-24f);
  return value < high ? value : std::nextafter(high, low);  // the sum may be rounded up
}

bool Random::chance(std::uint32_t numerator, std::uint32_t denominator) { return below(denominator) < numerator; }

}  // namespace mobula::core

#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/wire/received_deltas.hpp>
#include <vector>

namespace mobula::wire::received_deltas_test {
namespace {

// Reference model: one bool per delta, the newest first.
std::vector<bool> model_of(const ReceivedBits& bits) {
  std::vector<bool> model(received_bits_max);
  for (std::uint32_t at = 0; at < received_bits_max; ++at) model[at] = (bits[at / 64] >> at % 64 & 1) != 0;
  return model;
}

ReceivedBits random_bits(core::Random& random) {
  ReceivedBits bits{};
  for (std::uint64_t& word : bits) word = random.chance(1, 3) ? 0 : random.next();
  return bits;
}

TEST(ReceivedDeltas, LaterBitsMatchTheReferenceModel) {
  core::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const ReceivedBits bits = random_bits(random);
    const std::uint32_t steps = random.chance(1, 9) ? static_cast<std::uint32_t>(random.next()) : random.below(300);
    std::vector<bool> expected = model_of(bits);
    for (std::uint32_t i = 0; i < std::min(steps, received_bits_max); ++i) {
      expected.pop_back();
      expected.insert(expected.begin(), false);
    }
    ASSERT_EQ(model_of(later(bits, steps)), expected) << "round " << round << ", " << steps << " steps";
  }
}

TEST(ReceivedDeltas, PartsOfTheBitsMatchTheReferenceModel) {
  core::Random random(2);
  for (int round = 0; round < 2000; ++round) {
    const ReceivedBits bits = random_bits(random);
    const std::vector<bool> model = model_of(bits);
    const std::uint32_t first = random.below(300);
    const std::uint64_t part = bits_from(bits, first);
    std::uint32_t next = received_bits_max;
    for (std::uint32_t at = received_bits_max; at-- > first;)
      if (model[at]) next = at;
    for (std::uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ((part >> i & 1) != 0, first + i < received_bits_max && model[first + i]) << first << " + " << i;
    ASSERT_EQ(next_received(bits, first), next) << "from " << first;
  }
}

}  // namespace
}  // namespace mobula::wire::received_deltas_test

#include <gtest/gtest.h>

#include <mobula/core/bit_set.hpp>
#include <mobula/core/random.hpp>
#include <set>

namespace mobula::core {
namespace {

std::set<std::size_t> walk(const BitSet& bits) {
  std::set<std::size_t> found;
  for (std::size_t word = 0; word < bits.words().size(); ++word)
    each_bit(bits.words()[word], word * BitSet::word_bits, [&](std::size_t number) { found.insert(number); });
  return found;
}

TEST(BitSet, AgreesWithASet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    BitSet bits;
    std::set<std::size_t> reference;
    std::uint32_t end = 1;
    bits.make_room(end);
    for (int step = 0; step < 500; ++step) {
      const std::uint32_t number = random.below(end);
      switch (random.below(8)) {
        case 0:
          end += random.below(70);
          bits.make_room(end);
          break;
        case 1:
        case 2:
          bits.erase(number);
          reference.erase(number);
          break;
        default: bits.insert(number); reference.insert(number);
      }
      ASSERT_EQ(bits.contains(number), reference.contains(number));
    }
    EXPECT_EQ(walk(bits), reference);
    bits.clear();
    EXPECT_TRUE(walk(bits).empty());
  }
}

TEST(BitSet, EachBitIteratesInRisingOrder) {
  std::vector<std::size_t> numbers;
  each_bit(1ull << 63 | 1ull << 5 | 1, 64, [&](std::size_t number) { numbers.push_back(number); });
  EXPECT_EQ(numbers, (std::vector<std::size_t>{64, 69, 127}));
}

TEST(BitSet, EachIteratesOverASetThatLosesItsNumbers) {
  BitSet bits;
  bits.make_room(300);
  for (const std::size_t number : {0u, 63u, 64u, 299u}) bits.insert(number);
  std::vector<std::size_t> numbers;
  bits.each([&](std::size_t number) {
    numbers.push_back(number);
    bits.erase(number);
  });
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 63, 64, 299}));
  EXPECT_TRUE(walk(bits).empty());
}

}  // namespace
}  // namespace mobula::core

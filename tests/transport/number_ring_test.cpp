#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/transport/number_ring.hpp>

namespace mobula::transport {
namespace {

TEST(NumberRing, KeepsAWrappingWindowWhenCapacityChanges) {
  constexpr std::uint64_t seed = 3;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  NumberRing<std::uint32_t> ring;
  std::map<std::uint16_t, std::uint32_t> model;
  std::uint16_t first = 65'000;
  std::uint16_t next = first;
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    const auto count = static_cast<std::uint16_t>(next - first);
    if (count == ring.capacity()) ring.set_capacity(ring.capacity() == 0 ? 4 : ring.capacity() * 2, first, count);
    if (count <= ring.capacity() / 4 && ring.capacity() > 4) ring.set_capacity(ring.capacity() / 2, first, count);
    const bool push = random.below(count < 100 ? 5 : 20) < 3;
    if (push) {
      model[next] = ring[next] = static_cast<std::uint32_t>(random.next());
      ++next;
    } else if (first != next) {
      ASSERT_EQ(ring[first], model[first]);
      ++first;
    }
  }
  for (; first != next; ++first) ASSERT_EQ(ring[first], model[first]);
}

TEST(NumberRing, FreesAllMemory) {
  NumberRing<int> ring;
  EXPECT_EQ(ring.capacity(), 0u);
  ring.set_capacity(8, 0, 0);
  ring.set_capacity(0, 5, 0);
  EXPECT_EQ(ring.capacity(), 0u);
}

}  // namespace
}  // namespace mobula::transport

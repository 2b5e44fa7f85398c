#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "entity_index/memory.hpp"

namespace mobula::bench {
namespace {

TEST(MemoryMeter, CountsWhatIsTakenAndRemembersTheMost) {
  MemoryMeter meter;
  {
    const MemoryScope scope(meter);
    const std::vector<char> large(100'000);
    const auto aligned = std::make_unique<std::array<std::byte, 4096>[]>(2);
  }
  EXPECT_EQ(meter.bytes, 0);
  EXPECT_GE(meter.bytes_max, 108'192);
  EXPECT_LT(meter.bytes_max, 120'000);
}

TEST(MemoryMeter, CountsOverAlignedObjects) {
  struct alignas(64) Line {
    char bytes[64];
  };
  MemoryMeter meter;
  {
    const MemoryScope scope(meter);
    const std::vector<Line> lines(1000);
    EXPECT_GE(meter.bytes, 64'000);
  }
  EXPECT_EQ(meter.bytes, 0);
}

TEST(MemoryMeter, CountsOnlyInsideItsScope) {
  MemoryMeter outer;
  MemoryMeter inner;
  std::vector<char> before(1000);
  {
    const MemoryScope scope(outer);
    {
      const MemoryScope nested(inner);
      before.reserve(5000);
    }
    const std::vector<char> after_nested(300);
    std::thread([] { const std::vector<char> elsewhere(1 << 20); }).join();
  }
  const std::vector<char> later(1 << 20);
  EXPECT_GT(inner.bytes, 3000) << "5000 taken, 1000 given back";
  EXPECT_LT(inner.bytes, 4500);
  EXPECT_GE(outer.bytes_max, 300);
  EXPECT_LT(outer.bytes_max, 10'000) << "the thread's vector is not this thread's";
}

}  // namespace
}  // namespace mobula::bench

#include <gtest/gtest.h>

#include <deque>
#include <mobula/core/random.hpp>
#include <mobula/transport/byte_queue.hpp>

namespace mobula::transport {
namespace {

TEST(ByteQueue, AgreesWithADeque) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  ByteQueue queue;
  std::deque<std::byte> model;
  for (int round = 0; round < 3000; ++round) {
    core::Bytes bytes(random.below(200));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    queue.append(bytes);
    model.insert(model.end(), bytes.begin(), bytes.end());
    const std::size_t count = random.below(static_cast<std::uint32_t>(std::min<std::size_t>(model.size(), 210)) + 1);
    queue.consume(count);
    if (random.below(20) == 0) queue.trim();
    model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_TRUE(std::equal(model.begin(), model.end(), queue.view().begin()));
  }
}

TEST(ByteQueue, KeepsItsMemoryWhileSmall) {
  ByteQueue queue;
  const core::Bytes bytes(1000);
  queue.append(bytes);
  const std::byte* place = queue.view().data();
  for (int round = 0; round < 100; ++round) {
    queue.consume(1000);
    queue.append(bytes);
    ASSERT_EQ(queue.view().data(), place);
  }
}

TEST(ByteQueue, TrimFreesOnlyUnneededMemory) {
  ByteQueue queue;
  const core::Bytes large(40'000, std::byte{7});
  queue.append(large);
  queue.consume(39'900);
  queue.trim();
  EXPECT_GE(queue.capacity(), 40'000u) << "the capacity was needed since the last call";
  queue.trim();
  EXPECT_LE(queue.capacity(), 1000u);
  EXPECT_TRUE(std::equal(queue.view().begin(), queue.view().end(), large.begin(), large.begin() + 100));
  queue.consume(100);
  queue.trim();
  queue.trim();
  EXPECT_EQ(queue.capacity(), 0u);
}

}  // namespace
}  // namespace mobula::transport

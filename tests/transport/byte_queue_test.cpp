#include <gtest/gtest.h>

#include <deque>
#include <mobula/core/random.hpp>
#include <mobula/transport/byte_queue.hpp>

namespace mobula::transport {
namespace {

TEST(ByteQueue, GivesBackWhatADequeGives) {
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
    model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_TRUE(std::equal(model.begin(), model.end(), queue.view().begin()));
  }
}

TEST(ByteQueue, StaysWhereItIsWhileItIsSmall) {
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

}  // namespace
}  // namespace mobula::transport

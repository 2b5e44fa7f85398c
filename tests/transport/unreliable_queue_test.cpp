#include <gtest/gtest.h>

#include <mobula/transport/unreliable_queue.hpp>
#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

TEST(UnreliableQueue, ReturnsMessagesTimesAndTags) {
  UnreliableQueue queue;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const core::Bytes bytes = message_of(i, i * 10 % 300);
    queue.push(bytes, i * core::second, i % 3 == 0 ? std::optional(i) : std::nullopt);
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_FALSE(queue.empty());
    const UnreliableQueue::Message message = queue.front();
    const core::Bytes expected = message_of(i, i * 10 % 300);
    EXPECT_TRUE(std::equal(message.bytes.begin(), message.bytes.end(), expected.begin(), expected.end()));
    EXPECT_EQ(message.queued_at, i * core::second);
    EXPECT_EQ(message.tag, i % 3 == 0 ? std::optional(i) : std::nullopt);
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(UnreliableQueue, CostMatchesTheQueueSize) {
  UnreliableQueue queue;
  queue.push(core::Bytes(50), 0, std::nullopt);
  EXPECT_EQ(queue.size(), UnreliableQueue::cost(50));
}

}  // namespace
}  // namespace mobula::transport

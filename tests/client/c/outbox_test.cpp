#include <gtest/gtest.h>

#include <c/outbox.hpp>
#include <client/c/guest.hpp>
#include <deque>
#include <mobula/core/random.hpp>

namespace mobula::c {
namespace {

const transport::Address& peer = test::village_address;

// Compares with a queue: what is sent comes out in order, and what exceeds the limit is lost.
TEST(Outbox, IsAQueueOfBoundedLength) {
  Outbox outbox;
  std::deque<core::Bytes> model;
  core::Random random(3);
  for (int i = 0; i < 5'000; ++i) {
    if (random.chance(random.chance(1, 2) ? 3 : 1, 4)) {
      const core::Bytes datagram(random.below(1300), static_cast<std::byte>(i));
      outbox.send(peer, datagram);
      if (model.size() < Outbox::max && datagram.size() <= transport::datagram_bytes_max) model.push_back(datagram);
    } else if (!model.empty()) {
      const core::ByteView front = outbox.front();
      ASSERT_EQ(core::Bytes(front.begin(), front.end()), model.front());
      outbox.pop();
      model.pop_front();
    }
    ASSERT_EQ(outbox.empty(), model.empty());
    ASSERT_EQ(outbox.ready(peer), model.size() + Outbox::farewell < Outbox::max);
  }
}

TEST(Outbox, KeepsRoomForTheFarewell) {
  Outbox outbox;
  std::uint32_t sent = 0;
  while (outbox.ready(peer)) {
    outbox.send(peer, core::Bytes(1));
    ++sent;
  }
  EXPECT_EQ(Outbox::max - sent, Outbox::farewell);
  EXPECT_GT(sent, 16u);
  outbox.clear();
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace mobula::c

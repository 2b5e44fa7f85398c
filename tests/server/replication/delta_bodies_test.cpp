#include <gtest/gtest.h>

#include <mobula/server/replication/delta_bodies.hpp>
#include <optional>

namespace mobula::server {
namespace {

// Bodies of 100 bytes, and a lane that takes everything.
struct BodySender {
  DeltaBodies::Body* begin(std::uint32_t id) {
    DeltaBodies::Body* body = bodies.begin(id, 7);
    if (body != nullptr) body->bytes.resize(100);
    return body;
  }
  std::size_t send(std::size_t bytes_max) {
    return bodies.send_parts(bytes_max, [&](const wire::DeltaBody& part) {
      parts.push_back(part);
      return parts.size();
    });
  }
  void deliver_all() {
    bodies.note_delivered([&](transport::ReliableId id) { return id <= parts.size(); });
  }
  // Brings the next body to the client and announces it in a delta.
  void announce(std::uint32_t sequence) {
    send(10'000);
    deliver_all();
    DeltaBodies::Body* body = bodies.next_delivered();
    ASSERT_NE(body, nullptr);
    body->state = DeltaBodies::State::announced;
    body->sequence = sequence;
  }

  DeltaBodies bodies;
  std::vector<wire::DeltaBody> parts;
};

TEST(DeltaBodies, PartsFollowEachOtherWithinTheBytesAllowed) {
  BodySender sender;
  ASSERT_NE(sender.begin(3), nullptr);
  ASSERT_NE(sender.begin(4), nullptr);
  EXPECT_EQ(sender.send(60), 60u);
  EXPECT_EQ(sender.send(60), 60u);
  EXPECT_EQ(sender.send(1000), 80u);
  EXPECT_EQ(sender.send(1000), 0u);
  ASSERT_EQ(sender.parts.size(), 4u);
  std::vector<std::array<std::uint32_t, 3>> sent;
  for (const wire::DeltaBody& part : sender.parts)
    sent.push_back({part.number, part.offset, static_cast<std::uint32_t>(part.bytes.size())});
  EXPECT_EQ(sent, (std::vector<std::array<std::uint32_t, 3>>{{1, 0, 60}, {1, 60, 40}, {2, 0, 20}, {2, 20, 80}}));
}

TEST(DeltaBodies, OneIsDeliveredOnceItsLastPartIs) {
  BodySender sender;
  sender.begin(3);
  sender.send(60);
  sender.deliver_all();
  EXPECT_EQ(sender.bodies.next_delivered(), nullptr);
  sender.send(60);
  sender.bodies.note_delivered([](transport::ReliableId id) { return id <= 1; });
  EXPECT_EQ(sender.bodies.next_delivered(), nullptr);
  sender.deliver_all();
  ASSERT_NE(sender.bodies.next_delivered(), nullptr);
  EXPECT_EQ(sender.bodies.next_delivered()->id, 3u);
}

TEST(DeltaBodies, ALostAnnouncementIsRepeated) {
  BodySender sender;
  sender.begin(3);
  sender.announce(9);
  EXPECT_FALSE(sender.bodies.any_unannounced());
  EXPECT_EQ(sender.bodies.missing(8), nullptr);
  EXPECT_NE(sender.bodies.missing(9), nullptr);
  EXPECT_TRUE(sender.bodies.any_unannounced());
  EXPECT_NE(sender.bodies.next_delivered(), nullptr);
}

TEST(DeltaBodies, AReceivedAnnouncementFreesTheBody) {
  BodySender sender;
  sender.begin(3);
  sender.announce(9);
  EXPECT_NE(sender.bodies.received(9), nullptr);
  EXPECT_EQ(sender.bodies.find(3), nullptr);
  EXPECT_EQ(sender.bodies.received(9), nullptr);
}

TEST(DeltaBodies, NoneBeginsThatAClientWouldForget) {
  BodySender sender;
  for (std::uint32_t id = 0; id < wire::delta_bodies_kept; ++id) EXPECT_NE(sender.begin(id), nullptr);
  EXPECT_EQ(sender.begin(100), nullptr);
  sender.bodies.cancel(5);  // a place is free, but the first body would be too old
  EXPECT_EQ(sender.begin(100), nullptr);
  sender.bodies.cancel(0);
  EXPECT_NE(sender.begin(100), nullptr);
}

TEST(DeltaBodies, AnotherConnectionBeginsAllAgain) {
  BodySender sender;
  sender.begin(3);
  sender.begin(4);
  sender.announce(9);
  sender.bodies.begin_again();
  EXPECT_EQ(sender.bodies.next_delivered(), nullptr);
  EXPECT_EQ(sender.bodies.received(9), nullptr);
  sender.parts.clear();
  EXPECT_EQ(sender.send(1000), 200u);
  EXPECT_EQ(sender.parts.front().number, 3u);
  EXPECT_EQ(sender.parts.back().number, 4u);
}

}  // namespace
}  // namespace mobula::server

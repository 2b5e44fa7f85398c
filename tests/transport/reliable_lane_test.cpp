#include <gtest/gtest.h>

#include <deque>
#include <mobula/transport/reliable_receiver.hpp>
#include <mobula/transport/reliable_sender.hpp>
#include <transport/session_pair.hpp>

namespace mobula::transport {
namespace {

constexpr std::size_t queue_max = 2 * max_reliable_size;

struct Sent {
  core::Bytes bytes;
  SentDatagram record;
};

// Returns all datagrams that the sender would send now.
std::deque<Sent> write_all(ReliableSender& sender, std::size_t room = session_body_bytes_max - body_header_bytes) {
  std::deque<Sent> all;
  sender.begin_flush();
  while (sender.pending()) {
    Sent sent{core::Bytes(room), {}};
    const std::size_t size = sender.write(sent.bytes, Lane::bulk, sent.record, room);
    if (size == 0) break;
    sent.bytes.resize(size);
    all.push_back(std::move(sent));
  }
  return all;
}

bool receive(ReliableReceiver& receiver, const Sent& sent, std::size_t message_max = max_reliable_size) {
  core::ByteView rest(sent.bytes);
  Entry entry;
  bool good = true;
  while (!rest.empty()) {
    EXPECT_TRUE(next_entry(rest, entry));
    EXPECT_EQ(entry.lane, Lane::bulk);
    EXPECT_TRUE(receiver.plausible(entry.chunk));
    good = good && receiver.receive(entry.chunk, entry.bytes, message_max);
  }
  return good;
}

void acked(ReliableSender& sender, const Sent& sent) {
  for (std::size_t i = 0; i < sent.record.chunk_count; ++i) sender.acked(sent.record.chunks[i]);
  sender.release();
}
void lost(ReliableSender& sender, const Sent& sent) {
  for (std::size_t i = 0; i < sent.record.chunk_count; ++i) sender.lost(sent.record.chunks[i]);
}

// Model: the list of messages. The network loses, duplicates and reorders randomly.
TEST(ReliableLane, DeliversOnceAndInOrderOnAnyNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ReliableSender sender;
    ReliableReceiver receiver;
    std::vector<std::size_t> sizes;
    std::deque<Sent> flying;
    std::uint64_t fetched = 0;
    core::Bytes message;
    for (int round = 0; round < 4000; ++round) {
      if (round < 3500) {
        sizes.push_back(random.below(random.below(50) == 0 ? 30'000 : 100));
        ASSERT_EQ(*sender.send(message_of(sizes.size() - 1, sizes.back()), queue_max), sizes.size());
      }
      for (Sent& sent : write_all(sender, 300 + random.below(890))) flying.push_back(std::move(sent));
      for (std::uint32_t n = random.below(20); n > 0 && !flying.empty(); --n) {
        std::swap(flying.front(), flying[random.below(static_cast<std::uint32_t>(flying.size()))]);
        const bool arrives = random.below(4) != 0;
        for (std::uint32_t copies = arrives ? 1 + random.below(2) : 0; copies > 0; --copies) {
          ASSERT_TRUE(receive(receiver, flying.front()));
        }
        // Acks may be lost as well, and datagrams declared lost may be acknowledged later.
        if (!arrives || random.below(5) == 0) lost(sender, flying.front());
        if (arrives && random.below(5) != 0) {
          acked(sender, flying.front());
        } else {
          lost(sender, flying.front());
        }
        flying.pop_front();
      }
      for (; receiver.next(message); ++fetched) ASSERT_EQ(message, message_of(fetched, sizes[fetched])) << fetched;
      ASSERT_FALSE(sender.delivered(fetched + 1));
      sender.check();
      receiver.check();
      if (round % 100 == 0) {
        sender.trim();
        receiver.trim();
      }
    }
    while (!flying.empty() || sender.pending()) {
      for (Sent& sent : write_all(sender)) flying.push_back(std::move(sent));
      ASSERT_TRUE(receive(receiver, flying.front()));
      acked(sender, flying.front());
      flying.pop_front();
    }
    for (; receiver.next(message); ++fetched) ASSERT_EQ(message, message_of(fetched, sizes[fetched])) << fetched;
    EXPECT_EQ(fetched, sizes.size());
    EXPECT_TRUE(sender.delivered(sizes.size()));
    EXPECT_EQ(sender.backlog_bytes(), 0u);
  }
}

TEST(ReliableLane, RepeatsOnlyLostChunks) {
  ReliableSender sender;
  ASSERT_TRUE(sender.send(message_of(1, 20'000), queue_max).ok());
  std::deque<Sent> first = write_all(sender);
  ASSERT_GT(first.size(), 10u);
  EXPECT_FALSE(sender.pending());
  lost(sender, first[3]);
  lost(sender, first[3]);
  std::deque<Sent> again = write_all(sender);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].bytes, first[3].bytes);
  EXPECT_EQ(sender.chunks_repeated(), 1u);
}

TEST(ReliableLane, StopsAtItsWindow) {
  ReliableSender sender;
  ASSERT_TRUE(sender.send(message_of(1, 2'000'000), queue_max).ok());
  std::deque<Sent> sent = write_all(sender);
  EXPECT_EQ(sent.size(), reliable_window_chunks);
  acked(sender, sent[1]);
  EXPECT_FALSE(sender.pending()) << "the oldest chunk blocks the window";
  acked(sender, sent[0]);
  EXPECT_EQ(write_all(sender).size(), 2u);
}

TEST(ReliableLane, RefusesChunksOutsideTheWindow) {
  ReliableReceiver receiver;
  EXPECT_TRUE(receiver.plausible(reliable_window_chunks - 1));
  EXPECT_FALSE(receiver.plausible(reliable_window_chunks));
  EXPECT_FALSE(receiver.plausible(0x7fff));
  EXPECT_TRUE(receiver.plausible(0xffff)) << "an old chunk";
}

TEST(ReliableLane, RefusesTooLargeMessagesOnAnnouncement) {
  ReliableSender sender;
  ReliableReceiver receiver;
  ASSERT_TRUE(sender.send(message_of(1, 100), queue_max).ok());
  ASSERT_TRUE(sender.send(message_of(2, 100'000), queue_max).ok());
  EXPECT_FALSE(receive(receiver, write_all(sender)[0], 99'999));
  core::Bytes message;
  EXPECT_TRUE(receiver.next(message));
  EXPECT_EQ(message, message_of(1, 100));
}

}  // namespace
}  // namespace mobula::transport

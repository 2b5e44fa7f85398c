#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <mobula/client/connection/event_queue.hpp>
#include <mobula/core/random.hpp>

namespace mobula::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

wire::Events reliable(ecs::Tick tick, std::vector<std::uint16_t> sequences) {
  wire::Events message{tick, {}};
  for (const std::uint16_t sequence : sequences) message.events.push_back({sequence, {}, core::Bytes(3)});
  return message;
}

wire::EventBatch unreliable(ecs::Tick tick, std::vector<std::uint16_t> sequences) {
  static const core::Bytes bytes(5);
  wire::EventBatch batch{tick, {}};
  for (const std::uint16_t sequence : sequences) batch.events.push_back({sequence, {7, 1}, bytes});
  return batch;
}

// Entities that are in the mirror.
constexpr auto all_in_view = [](const ReceivedEvent& /*event*/) { return std::optional(Presence::in_view); };
// Entities that may still come.
constexpr auto none_yet = [](const ReceivedEvent& /*event*/) { return std::optional<Presence>(); };

template <class PresenceOf = decltype(all_in_view)>
std::vector<std::pair<ecs::Tick, int>> due(EventQueue& queue, ecs::Tick tick, PresenceOf presence_of = all_in_view) {
  std::vector<std::pair<ecs::Tick, int>> result;
  for (const ReceivedEvent& event : queue.take_due(tick, presence_of)) result.emplace_back(event.tick, event.sequence);
  return result;
}

using Of = std::pair<ecs::Tick, int>;

TEST(EventQueue, EventsAreDeliveredAtTheirTick) {
  EventQueue queue;
  queue.add(unreliable(12, {0}));
  ASSERT_TRUE(queue.add(reliable(11, {0})).ok());
  EXPECT_THAT(due(queue, 10), IsEmpty());
  EXPECT_THAT(due(queue, 11), ElementsAre(Of(11, 0)));
  EXPECT_THAT(due(queue, 11), IsEmpty());
  const auto events = queue.take_due(12, all_in_view);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].about, (ecs::Entity{7, 1}));
  EXPECT_EQ(events[0].bytes.size(), 5u);
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST(EventQueue, EventsOfATickKeepTheServersOrder) {
  EventQueue queue;
  queue.add(unreliable(11, {5}));
  queue.add(unreliable(11, {1, 3}));
  ASSERT_TRUE(queue.add(reliable(10, {7})).ok());
  ASSERT_TRUE(queue.add(reliable(11, {0, 2, 4})).ok());
  EXPECT_THAT(due(queue, 11), ElementsAre(Of(10, 7), Of(11, 0), Of(11, 1), Of(11, 2), Of(11, 3), Of(11, 4), Of(11, 5)));
}

TEST(EventQueue, EventsOfALostTickAreDeliveredWithTheNext) {
  EventQueue queue;
  queue.add(unreliable(11, {0}));
  queue.add(unreliable(12, {0}));
  EXPECT_THAT(due(queue, 13), ElementsAre(Of(11, 0), Of(12, 0)));
}

TEST(EventQueue, LateUnreliableEventsAreDroppedAndReliableKept) {
  EventQueue queue;
  EXPECT_THAT(due(queue, 100), IsEmpty());
  ASSERT_TRUE(queue.add(reliable(10, {0})).ok());
  queue.add(unreliable(100 - EventQueue::late_ticks_max, {1}));
  queue.add(unreliable(99 - EventQueue::late_ticks_max, {1, 2}));
  EXPECT_THAT(due(queue, 100), ElementsAre(Of(10, 0), Of(100 - EventQueue::late_ticks_max, 1)));
  EXPECT_EQ(queue.stats().late, 2u);
}

TEST(EventQueue, RefusesOrDropsEventsBeyondItsLimit) {
  EventQueue queue;
  core::Status added = core::Done{};
  std::size_t count = 0;
  while (added.ok() && count < 100'000) {
    wire::Events message{0xffffffffu, {{0, {}, core::Bytes(wire::max_event_bytes)}}};
    added = queue.add(std::move(message));
    ++count;
  }
  ASSERT_FALSE(added.ok());
  EXPECT_STREQ(added.error().reason, "too many events");
  EXPECT_GT(count, 900u);
  EXPECT_LT(count, 1024u);
  const core::Bytes large(wire::max_event_bytes);
  queue.add(wire::EventBatch{0xffffffffu, {{0, {}, large}}});
  EXPECT_EQ(queue.stats().dropped, 1u);
  EXPECT_EQ(queue.take_due(0xffffffffu, all_in_view).size(), count - 1);
  EXPECT_TRUE(queue.add(reliable(1, {0})).ok());
}

TEST(EventQueue, AnEventWaitsForItsEntityAndDelaysNoOther) {
  EventQueue queue;
  queue.add(unreliable(11, {0}));
  ASSERT_TRUE(queue.add(reliable(12, {0})).ok());
  EXPECT_THAT(due(queue, 12, none_yet), ElementsAre(Of(12, 0)));
  EXPECT_THAT(due(queue, 13, none_yet), IsEmpty());
  EXPECT_EQ(queue.waiting(), 1u);
  const auto events = queue.take_due(14, [](const ReceivedEvent&) { return std::optional(Presence::removed); });
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].presence, Presence::removed);
  EXPECT_EQ(queue.stats().unknown, 0u);
}

TEST(EventQueue, AnEventOfAMissingEntityIsUnknownInTheEnd) {
  EventQueue queue;
  queue.add(unreliable(11, {0}));
  EXPECT_THAT(due(queue, 11 + EventQueue::held_ticks_max, none_yet), IsEmpty());
  const auto events = queue.take_due(12 + EventQueue::held_ticks_max, none_yet);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].presence, Presence::unknown);
  EXPECT_EQ(queue.stats().unknown, 1u);
}

TEST(EventQueue, LimitsTheBytesOfEventsThatWaitForEntities) {
  EventQueue queue;
  constexpr std::size_t size = 1000;
  std::size_t sent = 0;
  for (; sent * size < 2 * EventQueue::held_bytes_max; ++sent) {
    wire::Events message{1, {{static_cast<std::uint16_t>(sent), {7, 1}, core::Bytes(size)}}};
    ASSERT_TRUE(queue.add(std::move(message)).ok());
  }
  const auto events = queue.take_due(1, none_yet);
  ASSERT_EQ(events.size() + queue.waiting(), sent);
  EXPECT_GE(events.size(), sent / 2);
  EXPECT_LE(queue.waiting() * size, EventQueue::held_bytes_max);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].sequence, i) << "the oldest first";
  EXPECT_EQ(queue.stats().unknown, events.size());
}

TEST(EventQueue, RandomArrivalsMatchTheReferenceModel) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    core::Random random(seed);
    EventQueue queue;
    std::vector<Of> reference;
    std::vector<Of> about_something;
    ecs::Tick reached = 100;
    due(queue, reached);
    for (int step = 0; step < 300; ++step) {
      const ecs::Tick tick = reached - 10 + random.below(20);
      const auto sequence = static_cast<std::uint16_t>(step);
      reference.emplace_back(tick, sequence);
      if (random.chance(1, 2)) {
        ASSERT_TRUE(queue.add(reliable(tick, {sequence})).ok());
      } else {
        queue.add(unreliable(tick, {sequence}));
        about_something.emplace_back(tick, sequence);
      }
      if (random.chance(1, 3)) continue;
      reached += random.below(3);
      const bool in_view = random.chance(1, 4);  // the entity of all unreliable events
      const auto is_due = [&](const Of& event) {
        const bool is_free = std::ranges::count(about_something, event) == 0;
        return event.first <= reached && (is_free || in_view || event.first + EventQueue::held_ticks_max < reached);
      };
      std::vector<Of> expected;
      std::ranges::copy_if(reference, std::back_inserter(expected), is_due);
      std::erase_if(reference, is_due);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(in_view ? due(queue, reached) : due(queue, reached, none_yet), expected);
      ASSERT_EQ(queue.waiting(), reference.size());
    }
  }
}

}  // namespace
}  // namespace mobula::client

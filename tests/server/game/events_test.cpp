#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/game/events.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

core::Bytes text(const std::string& content) {
  const core::ByteView bytes = core::as_bytes(content.data(), content.size());
  return {bytes.begin(), bytes.end()};
}

// Events sent to one client, by sequence number.
struct Told {
  std::map<std::uint16_t, std::string> all;
  std::map<std::uint16_t, ecs::Entity> about;
  std::set<std::uint16_t> reliable;
  std::size_t messages = 0;
  std::size_t batches = 0;

  void add(std::uint16_t sequence, ecs::Entity entity, core::ByteView bytes) {
    EXPECT_TRUE(all.emplace(sequence, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())).second);
    about[sequence] = entity;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const auto& [sequence, content] : all) result.push_back(content);
    return result;
  }
};

constexpr ecs::Tick tick = 77;

Told read(const Events::ForClient& sent) {
  Told told;
  for (const core::Bytes& bytes : sent.reliable) {
    const core::Result<wire::Message> message = wire::decode_message(bytes);
    EXPECT_TRUE(message.ok());
    const auto& events = std::get<wire::Events>(*message);
    EXPECT_EQ(events.tick, tick);
    for (const wire::Event& event : events.events) {
      told.add(event.sequence, event.about, event.bytes);
      told.reliable.insert(event.sequence);
    }
    ++told.messages;
  }
  for (const core::Bytes& bytes : sent.unreliable) {
    wire::EventBatch batch;
    EXPECT_TRUE(wire::decode_event_batch(bytes, batch).ok());
    EXPECT_EQ(batch.tick, tick);
    for (const wire::EventBatch::Event& event : batch.events) told.add(event.sequence, event.about, event.bytes);
    ++told.batches;
  }
  return told;
}

struct Client {
  std::uint32_t player;
  std::set<ecs::Entity> seen;
  std::set<std::uint32_t> groups;
  bool is_zone = false;
  std::uint32_t zone = 0;

  [[nodiscard]] Events::ForClient of(Events& events) const {
    return events.for_client(
        tick, {.player = player, .zone = zone, .is_zone = is_zone},
        [&](ecs::Entity entity) { return seen.contains(entity); },
        [&](std::uint32_t group) { return groups.contains(group); });
  }
};

TEST(Events, ANeighbouringZoneIsSentThoseAboutEntitiesThatItSees) {
  Events events;
  const ecs::Entity door{5, 1};
  ASSERT_TRUE(events.send(text("all"), Audience::everyone(), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("group"), Audience::interest_group(3), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("creak"), Audience::seers_of(door), Reliability::unreliable).ok());
  EXPECT_THAT(read(Client{1, {door}, {3}, true}.of(events)).texts(), ElementsAre("creak"));
  EXPECT_THAT(read(Client{1, {}, {3}, true}.of(events)).texts(), IsEmpty());
}

TEST(Events, OneFromAnotherZoneDoesNotReturnToIt) {
  Events events;
  const ecs::Entity door{5, 1};
  events.relay(text("knock"), door, Reliability::reliable, 7);
  events.relay(text("creak"), door, Reliability::reliable, std::nullopt);
  const auto sent_to = [&](std::uint32_t zone, bool is_zone) {
    return read(Client{1, {door}, {}, is_zone, zone}.of(events)).texts();
  };
  EXPECT_THAT(sent_to(7, true), IsEmpty());
  EXPECT_THAT(sent_to(8, true), ElementsAre("knock")) << "that of the entity's zone comes from there";
  EXPECT_THAT(sent_to(9, false), ElementsAre("knock", "creak"));
}

// The entity has arrived while the event was on its way to the zone that had it. Clients here were sent it at once.
TEST(Events, OneOfThisZoneIsNotSentAgain) {
  Events events;
  const ecs::Entity door{5, 1};
  events.relay(text("knock"), door, Reliability::reliable, 7);
  EXPECT_THAT(read(Client{1, {door}, {}, false, 7}.of(events)).texts(), IsEmpty());
  EXPECT_THAT(read(Client{2, {door}, {}, true, 8}.of(events)).texts(), ElementsAre("knock"));
}

TEST(Events, OnlyThoseOfTheGameHereAreItsOwn) {
  Events events;
  const ecs::Entity door{5, 1};
  events.relay(text("knock"), door, Reliability::reliable, 1);
  events.relay(text("creak"), door, Reliability::reliable, std::nullopt);
  ASSERT_TRUE(events.send(text("all"), Audience::everyone(), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("slam"), Audience::seers_of(door), Reliability::unreliable).ok());
  int own = 0;
  events.each_own([&](ecs::Entity about, core::ByteView bytes, Reliability reliability) {
    ++own;
    EXPECT_EQ(about, door);
    EXPECT_EQ(core::Bytes(bytes.begin(), bytes.end()), text("slam"));
    EXPECT_EQ(reliability, Reliability::unreliable);
  });
  EXPECT_EQ(own, 1);
}

TEST(Events, ReachTheirAudience) {
  Events events;
  const ecs::Entity door{5, 1};
  ASSERT_TRUE(events.send(text("all"), Audience::everyone(), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("to 7"), Audience::player(7), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("creak"), Audience::seers_of(door), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("nobody"), Audience::seers_of(ecs::null_entity), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("red"), Audience::interest_group(3), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("to 8"), Audience::player(8), Reliability::unreliable).ok());
  EXPECT_THAT(read(Client{7, {}, {}}.of(events)).texts(), ElementsAre("all", "to 7"));
  EXPECT_THAT(read(Client{8, {door}, {}}.of(events)).texts(), ElementsAre("all", "creak", "to 8"));
  EXPECT_THAT(read(Client{9, {{5, 2}}, {2, 3}}.of(events)).texts(), ElementsAre("all", "red"));
  EXPECT_EQ(read(Client{1, {door}, {}}.of(events)).about[1], door);
  events.clear();
  EXPECT_THAT(read(Client{7, {door}, {3}}.of(events)).texts(), IsEmpty());
}

TEST(Events, ReliableAndUnreliableOnesShareOneOrder) {
  Events events;
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(events
                    .send(text(std::to_string(i)), Audience::everyone(),
                          i % 2 == 0 ? Reliability::reliable : Reliability::unreliable)
                    .ok());
  const Told told = read(Client{1, {}, {}}.of(events));
  EXPECT_THAT(told.texts(), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_THAT(told.reliable, ElementsAre(0, 2, 4));
  EXPECT_EQ(told.messages, 1u);
  EXPECT_EQ(told.batches, 1u);
}

TEST(Events, SequencesRevealNoEventsOfOtherClients) {
  Events events;
  for (std::uint32_t player = 1; player < 50; ++player)
    ASSERT_TRUE(events.send({}, Audience::player(player), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("end"), Audience::everyone(), Reliability::reliable).ok());
  const Told told = read(Client{40, {}, {}}.of(events));
  EXPECT_EQ(told.all.begin()->first, 0);
  EXPECT_EQ(told.all.rbegin()->first, 1);
}

TEST(Events, EncodesEventsForEveryoneOnce) {
  Events events;
  ASSERT_TRUE(events.send(text("a"), Audience::everyone(), Reliability::reliable).ok());
  ASSERT_TRUE(events.send(text("b"), Audience::interest_group(1), Reliability::unreliable).ok());
  const auto first = Client{1, {}, {}}.of(events);
  const core::Bytes* const shared = first.reliable.data();
  EXPECT_NE((Client{2, {}, {1}}.of(events)).reliable.data(), shared);
  EXPECT_EQ((Client{3, {}, {}}.of(events)).reliable.data(), shared);
  EXPECT_THAT(read(Client{3, {}, {}}.of(events)).texts(), ElementsAre("a"));
  ASSERT_TRUE(events.send(text("c"), Audience::everyone(), Reliability::reliable).ok());
  EXPECT_THAT(read(Client{3, {}, {}}.of(events)).texts(), ElementsAre("a", "c"));
}

TEST(Events, ManyBecomeSeveralMessagesAndBatches) {
  Events events;
  std::vector<std::string> expected;
  for (int i = 0; i < 150; ++i) {
    expected.push_back(std::to_string(i) + std::string(700, 'x'));
    ASSERT_TRUE(
        events
            .send(text(expected.back()), Audience::everyone(), i < 75 ? Reliability::reliable : Reliability::unreliable)
            .ok());
  }
  const Told told = read(Client{1, {}, {}}.of(events));
  EXPECT_EQ(told.texts(), expected);
  EXPECT_EQ(told.messages, 2u);
  EXPECT_EQ(told.batches, 75u);
}

TEST(Events, LimitsTheBytesOfAnEvent) {
  Events events;
  EXPECT_STREQ(events.send(core::Bytes(1025), {}, Reliability::unreliable).error().reason, "large event");
  EXPECT_STREQ(events.send(core::Bytes(16 * 1024 + 1), {}, Reliability::reliable).error().reason, "large event");
  EXPECT_TRUE(events.send(core::Bytes(1024), {}, Reliability::unreliable).ok());
  EXPECT_TRUE(events.send(core::Bytes(16 * 1024), {}, Reliability::reliable).ok());
  EXPECT_EQ(read(Client{1, {}, {}}.of(events)).all.size(), 2u);
}

TEST(Events, LimitsTheBytesOfATick) {
  Events events;
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(events.send(core::Bytes(1024 - 32), {}, Reliability::reliable).ok());
  EXPECT_STREQ(events.send({}, {}, Reliability::reliable).error().reason, "too many events");
  EXPECT_EQ(read(Client{1, {}, {}}.of(events)).all.size(), 256u);
  events.clear();
  std::size_t empty = 0;
  while (events.send({}, {}, Reliability::unreliable).ok()) ++empty;
  EXPECT_LE(empty, 65'536u) << "their sequences have 16 bits";
  EXPECT_EQ(read(Client{1, {}, {}}.of(events)).all.size(), empty);
}

TEST(Events, RandomEventsMatchTheReferenceModel) {
  test::for_each_seed(1, test::few_or_all(100, 300), 1, [](std::uint64_t seed) {
    core::Random random(seed);
    Events events;
    std::vector<std::pair<Audience, std::string>> reference;
    for (std::uint32_t count = random.below(30); count > 0; --count) {
      const Audience audiences[] = {Audience::everyone(), Audience::player(random.below(5)),
                                    Audience::seers_of({random.below(5), 1}),
                                    Audience::interest_group(random.below(3))};
      const Audience& audience = audiences[random.below(random.chance(1, 2) ? 4 : 2)];
      reference.emplace_back(audience, std::to_string(random.below(1000)));
      ASSERT_TRUE(events
                      .send(text(reference.back().second), audience,
                            random.chance(1, 2) ? Reliability::reliable : Reliability::unreliable)
                      .ok());
    }
    for (std::uint32_t player = 0; player < 6; ++player) {
      const Client client{player, {{player, 1}, {1, 1}}, {player % 2}};
      std::vector<std::string> expected;
      for (const auto& [audience, content] : reference)
        if (audience.kind == Audience::Kind::everyone ||
            (audience.kind == Audience::Kind::player && audience.id == player) ||
            (audience.kind == Audience::Kind::seers && client.seen.contains(audience.about)) ||
            (audience.kind == Audience::Kind::interest_group && client.groups.contains(audience.id)))
          expected.push_back(content);
      ASSERT_EQ(read(client.of(events)).texts(), expected);
    }
  });
}

}  // namespace
}  // namespace mobula::server

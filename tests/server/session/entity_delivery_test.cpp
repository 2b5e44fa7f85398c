#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/session/entity_delivery.hpp>
#include <server/host/counting_game.hpp>

namespace mobula::server {
namespace entity_delivery_test {

using testing::ElementsAre;
using testing::IsEmpty;

core::Bytes text(std::string_view content) {
  const core::ByteView bytes = core::as_bytes(content.data(), content.size());
  return {bytes.begin(), bytes.end()};
}

std::string text_of(core::ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

struct Postman : test::CountingGame {
  void receive(World& world, ecs::Entity entity, core::ByteView message) override {
    received.push_back(to_string(entity) + " " + text_of(message));
    if (each_message) each_message(world, entity);
  }
  std::vector<std::string> received;
  std::function<void(World&, ecs::Entity)> each_message;
};

class EntityDeliveryTest : public testing::Test {
 protected:
  explicit EntityDeliveryTest(std::optional<ZoneRegion> zone = ZoneRegion{3, {0, 0, 9, 9}})
      : world(std::move(*World::make({.schema = test::game_schema(), .level = nullptr, .zone = zone}))),
        delivery(*world, game) {}

  void send(ecs::Entity to, std::string_view content) { ASSERT_TRUE(world->messages().send(to, text(content)).ok()); }
  ecs::Entity make() { return world->registry().create(); }
  ecs::Entity make_ghost() {
    const ecs::Entity entity = make();
    ecs::Guests(world->registry()).set_ghost(entity, true);
    return entity;
  }

  std::unique_ptr<World> world;
  Postman game;
  EntityDelivery delivery;
};

struct OwnWorldTest : EntityDeliveryTest {
  OwnWorldTest() : EntityDeliveryTest(std::nullopt) {}
};

TEST_F(EntityDeliveryTest, TheGameReceivesMessagesToLivingEntities) {
  const ecs::Entity door = make();
  const ecs::Entity gate = make();
  const ecs::Entity dead = make();
  send(door, "knock");
  send(dead, "knock");
  send(gate, "open");
  send(door, "open");
  world->destroy(dead);
  delivery.deliver();
  const std::string a = to_string(door);
  EXPECT_THAT(game.received, ElementsAre(a + " knock", to_string(gate) + " open", a + " open"));
  delivery.deliver();
  EXPECT_EQ(game.received.size(), 3u) << "once";
}

TEST_F(EntityDeliveryTest, AnAnswerIsDeliveredInTheNextTick) {
  const ecs::Entity door = make();
  game.each_message = [&](World& of, ecs::Entity entity) { static_cast<void>(of.messages().send(entity, text("x"))); };
  send(door, "first");
  delivery.deliver();
  EXPECT_EQ(game.received.size(), 1u);
  delivery.deliver();
  EXPECT_EQ(game.received.size(), 2u);
}

TEST_F(EntityDeliveryTest, AHookMayDestroyTheNextReceiver) {
  const ecs::Entity door = make();
  const ecs::Entity gate = make();
  game.each_message = [&](World& of, ecs::Entity) { of.destroy(gate); };
  send(door, "first");
  send(gate, "second");
  delivery.deliver();
  EXPECT_EQ(game.received.size(), 1u);
}

TEST_F(EntityDeliveryTest, MessagesToOtherEntitiesGoAbroad) {
  const ecs::Entity ghost = make_ghost();
  send(ghost, "knock");
  world->messages().receive({.entity = {9, 9}, .passed = 1, .origin = 4, .bytes = text("late")});
  delivery.deliver();
  EXPECT_THAT(game.received, IsEmpty());
  const std::vector<wire::Forward> abroad = delivery.take_abroad();
  ASSERT_EQ(abroad.size(), 2u);
  EXPECT_EQ(abroad[0].entity, ghost);
  EXPECT_EQ(text_of(abroad[0].bytes), "knock");
  EXPECT_EQ(abroad[1].passed, 1);
  EXPECT_EQ(abroad[1].origin, 4);
  EXPECT_THAT(delivery.take_abroad(), IsEmpty());
}

TEST_F(EntityDeliveryTest, EventsAboutGhostsGoAbroad) {
  const ecs::Entity ghost = make_ghost();
  Events& events = world->events();
  ASSERT_TRUE(events.send(text("creak"), Audience::seers_of(ghost), Reliability::reliable).ok());
  ASSERT_TRUE(events.send(text("crack"), Audience::seers_of(ghost), Reliability::unreliable).ok());
  ASSERT_TRUE(events.send(text("own"), Audience::seers_of(make()), Reliability::reliable).ok());
  events.relay(text("of its zone"), ghost, Reliability::reliable, std::nullopt);
  delivery.take_events_about_ghosts();
  const std::vector<wire::Forward> abroad = delivery.take_abroad();
  ASSERT_EQ(abroad.size(), 2u);
  EXPECT_EQ(abroad[0].kind, wire::ForwardKind::reliable_event);
  EXPECT_EQ(abroad[1].kind, wire::ForwardKind::unreliable_event);
  EXPECT_EQ(text_of(abroad[1].bytes), "crack");
  EXPECT_EQ(abroad[1].origin, 3);
}

// The clients of that zone have it, whichever zone has passed it on.
TEST_F(EntityDeliveryTest, AnEventFromAnotherZoneDoesNotReturnThere) {
  const ecs::Entity door = make();
  world->messages().receive(
      {.entity = door, .kind = wire::ForwardKind::reliable_event, .passed = 2, .origin = 4, .bytes = text("knock")});
  delivery.deliver();
  const auto events_of = [&](Events::Receiver receiver) {
    const Events::ForClient& sent = world->events().for_client(
        1, receiver, [&](ecs::Entity about) { return about == door; }, [](std::uint32_t) { return false; });
    return sent.reliable.size();
  };
  EXPECT_EQ(events_of({.player = 1, .zone = 3}), 1u);
  EXPECT_EQ(events_of({.player = 2, .zone = 5, .is_zone = true}), 1u);
  EXPECT_EQ(events_of({.player = 3, .zone = 4, .is_zone = true}), 0u);
}

TEST_F(OwnWorldTest, MessagesToOtherEntitiesAreDropped) {
  send({9, 9}, "knock");
  delivery.deliver();
  EXPECT_THAT(delivery.take_abroad(), IsEmpty());
}

}  // namespace entity_delivery_test
}  // namespace mobula::server

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/server/session.hpp>
#include <mobula/wire/messages.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

using testing::UnorderedElementsAre;

class SessionTest : public testing::Test {
 protected:
  SessionTest() { session.player.id = 1; }

  void publish_and_view() {
    world.publish();
    session.view = std::make_unique<ClientView>(world.registry, world.publisher.rows());
  }
  std::size_t write_delta() {
    core::Bytes delta(transport::max_unreliable_size);
    return session.view->write_delta(delta, world.registry.tick());
  }
  std::vector<wire::Message> messages() {
    lane.flush(0, [&](core::ByteView body) { peer.receive(body, 0); });
    std::vector<wire::Message> result;
    core::Bytes bytes;
    while (peer.next_reliable(bytes)) result.push_back(wire::decode_message(bytes).value());
    return result;
  }
  void deliver_acknowledgements() {
    peer.flush(core::second, [&](core::ByteView body) { lane.receive(body, core::second); });
  }

  test::RandomWorld world{1};
  transport::Session lane{{}, 0};
  transport::Session peer{{}, 0};
  Session session{{0, 1}};
};

TEST_F(SessionTest, TakesSoManyCommandsInATickAndNoMore) {
  const core::Bytes command(3, std::byte{7});
  for (std::size_t i = 0; i < Session::commands_per_tick_max; ++i) EXPECT_TRUE(session.take_command(command));
  EXPECT_FALSE(session.take_command(command));
  EXPECT_EQ(session.commands_used, Session::commands_per_tick_max);
  EXPECT_EQ(session.commands[0], command);
  session.commands_used = 0;
  const core::Bytes other(1, std::byte{9});
  EXPECT_TRUE(session.take_command(other));
  EXPECT_EQ(session.commands[0], other);
}

TEST_F(SessionTest, AnnouncesAPrototypeWithItsNamesAndOnlyThenTheEntityIsTold) {
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Health>(entity);
  world.registry.add_bytes(entity, world.registry.pool_of<demo::RenderData>("Fog"));
  publish_and_view();
  EXPECT_EQ(write_delta(), wire::delta_header_size);
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), wire::delta_header_size);

  const std::vector<wire::Message> told = messages();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(told[0]).texts, UnorderedElementsAre("Health", "Fog"));
  const auto& prototypes = std::get<wire::Prototypes>(told[1]).prototypes;
  ASSERT_EQ(prototypes.size(), 1u);
  EXPECT_THAT(prototypes[0].components,
              UnorderedElementsAre(index::ComponentRef{core::StringId32("Health"), core::StringId32("Health")},
                                   index::ComponentRef{core::StringId32("RenderData"), core::StringId32("Fog")}));

  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), wire::delta_header_size) << "it is not known that the client knows";
  deliver_acknowledgements();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_GT(write_delta(), wire::delta_header_size);
  EXPECT_TRUE(messages().empty()) << "nothing is announced twice";
}

TEST_F(SessionTest, NamesAreSentOnce) {
  world.registry.add<demo::Health>(world.create());
  publish_and_view();
  write_delta();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(messages().size(), 2u);
  world.end_tick();
  const ecs::Entity both = world.create();
  world.registry.add<demo::Health>(both);
  world.registry.add<demo::Team>(both);
  session.view->on_published(world.publish());
  session.view->forget(world.reclaimed);
  write_delta();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  const std::vector<wire::Message> told = messages();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(told[0]).texts, testing::ElementsAre("Team"));
}

TEST_F(SessionTest, TellsWhenTheLaneIsFull) {
  transport::Session narrow({.reliable_queue_bytes_max = 64}, 0);
  for (int i = 0; i < 30; ++i) world.changes(5);
  publish_and_view();
  write_delta();
  ASSERT_FALSE(session.view->prototypes().wanted().empty());
  const core::Status announced = session.announce_prototypes(world.registry, narrow);
  ASSERT_FALSE(announced.ok());
  EXPECT_STREQ(announced.error().reason, "queue full");
}

}  // namespace
}  // namespace mobula::server

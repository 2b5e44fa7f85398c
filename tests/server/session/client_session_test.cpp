#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/server/session/client_session.hpp>
#include <mobula/wire/messages.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

using testing::UnorderedElementsAre;

class ClientSessionTest : public testing::Test {
 protected:
  ClientSessionTest() { session.player.id = 1; }

  void publish_and_view() {
    world.publish();
    session.view = std::make_unique<ClientView>(world.publisher.published(), encoded, workspace, false);
    for (const ecs::Entity entity : world.alive) session.view->add_visible(entity.index, false);
    encoded.begin_tick(world.registry.tick());
  }
  std::size_t write_delta() {
    core::Bytes delta(transport::max_unreliable_size);
    session.view->choose(world.registry.tick(), delta.size(), [](std::uint32_t) { return 1.0f; });
    return session.view->write_delta(delta, world.registry.tick(), {});
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

  static constexpr std::size_t empty_delta = wire::delta_header_size + 2;

  test::RandomWorld world{1};
  EncodedDeltaCache encoded{world.publisher.published()};
  ViewWorkspace workspace;
  transport::Session lane{{}, 0};
  transport::Session peer{{}, 0};
  ClientSession session{{0, 1}};
};

TEST_F(ClientSessionTest, AResumedSessionKeepsTheViewOfAKeptMirror) {
  session.view = std::make_unique<ClientView>(world.publisher.published(), encoded, workspace, false);
  session.was_playing = true;
  const ClientView* view = session.view.get();
  session.disconnect(0);
  session.resume({0, 2}, core::second);
  EXPECT_TRUE(session.resume_replication(true));
  EXPECT_EQ(session.view.get(), view);
  session.resume({0, 3}, core::second);
  EXPECT_FALSE(session.resume_replication(false)) << "another process with the same tokens has no mirror";
  EXPECT_EQ(session.view, nullptr);
  session.resume({0, 4}, core::second);
  EXPECT_FALSE(session.resume_replication(true)) << "it never received a delta of this view";
}

TEST_F(ClientSessionTest, AnEntityIsSentAfterItsPrototypeIsDelivered) {
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Health>(entity);
  world.registry.add_bytes(entity, world.registry.pool_of<demo::RenderData>("Fog"));
  publish_and_view();
  EXPECT_EQ(write_delta(), empty_delta);
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), empty_delta);

  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, UnorderedElementsAre("Health", "Fog"));
  const auto& prototypes = std::get<wire::Prototypes>(sent[1]).prototypes;
  ASSERT_EQ(prototypes.size(), 1u);
  EXPECT_THAT(prototypes[0].components,
              UnorderedElementsAre(index::ComponentRef{core::StringId32("Health"), core::StringId32("Health")},
                                   index::ComponentRef{core::StringId32("RenderData"), core::StringId32("Fog")}));

  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), empty_delta) << "the announcement is not acknowledged yet";
  deliver_acknowledgements();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_GT(write_delta(), empty_delta);
  EXPECT_TRUE(messages().empty()) << "nothing is announced twice";
}

TEST_F(ClientSessionTest, AResumedSessionRepeatsAnnouncements) {
  world.registry.add<demo::Health>(world.create());
  publish_and_view();
  session.was_playing = true;
  write_delta();
  transport::Session broken({}, 0);
  ASSERT_TRUE(session.announce_prototypes(world.registry, broken).ok());
  session.disconnect(0);
  session.resume({0, 2}, core::second);
  ASSERT_TRUE(session.resume_replication(true));
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, UnorderedElementsAre("Health"));
  EXPECT_EQ(std::get<wire::Prototypes>(sent[1]).prototypes.size(), 1u);
}

TEST_F(ClientSessionTest, NamesAreSentOnce) {
  world.registry.add<demo::Health>(world.create());
  publish_and_view();
  write_delta();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(messages().size(), 2u);
  world.end_tick();
  const ecs::Entity both = world.create();
  world.registry.add<demo::Health>(both);
  world.registry.add<demo::Team>(both);
  world.publish();
  session.view->add_visible(both.index, false);
  session.view->forget(world.reclaimed);
  encoded.begin_tick(world.registry.tick());
  write_delta();
  ASSERT_TRUE(session.announce_prototypes(world.registry, lane).ok());
  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, testing::ElementsAre("Team"));
}

TEST_F(ClientSessionTest, AFullLaneIsAnError) {
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

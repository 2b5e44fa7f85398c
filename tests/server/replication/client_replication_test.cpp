#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/server/replication/client_replication.hpp>
#include <mobula/wire/messages.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

using testing::UnorderedElementsAre;

class ClientReplicationTest : public testing::Test {
 protected:
  void publish_and_view() {
    world.publish();
    client.view = std::make_unique<ClientView>(world.publisher.published(), encoded, workspace, false);
    for (const ecs::Entity entity : world.alive) client.view->add_visible(entity.index, false);
    encoded.begin_tick(world.registry.tick());
  }
  std::size_t write_delta() {
    core::Bytes delta(transport::max_unreliable_size);
    client.view->choose(world.registry.tick(), delta.size(), [](std::uint32_t) { return 1.0f; });
    return client.view->write_delta(delta, world.registry.tick(), {});
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

  const std::size_t empty_delta = wire::header_size({}) + 2;

  test::RandomWorld world{1};
  EncodedDeltaCache encoded{world.publisher.published()};
  ViewWorkspace workspace;
  transport::Session lane{{}, 0};
  transport::Session peer{{}, 0};
  ClientReplication client;
};

TEST_F(ClientReplicationTest, AnEntityIsSentAfterItsPrototype) {
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Health>(entity);
  world.registry.add_bytes(entity, world.registry.pool_of<demo::RenderData>("Fog"));
  publish_and_view();
  EXPECT_EQ(write_delta(), empty_delta);
  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), empty_delta);

  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, UnorderedElementsAre("Health", "Fog"));
  const auto& prototypes = std::get<wire::Prototypes>(sent[1]).prototypes;
  ASSERT_EQ(prototypes.size(), 1u);
  EXPECT_THAT(prototypes[0].components,
              UnorderedElementsAre(index::ComponentRef{core::StringId32("Health"), core::StringId32("Health")},
                                   index::ComponentRef{core::StringId32("RenderData"), core::StringId32("Fog")}));

  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(write_delta(), empty_delta) << "the announcement is not acknowledged yet";
  deliver_acknowledgements();
  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  EXPECT_GT(write_delta(), empty_delta);
  EXPECT_TRUE(messages().empty()) << "nothing is announced twice";
}

TEST_F(ClientReplicationTest, AnotherConnectionRepeatsAnnouncements) {
  world.registry.add<demo::Health>(world.create());
  publish_and_view();
  write_delta();
  transport::Session broken({}, 0);
  ASSERT_TRUE(client.announce_prototypes(world.registry, broken).ok());
  client.reset_connection();
  client.resume_view();
  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, UnorderedElementsAre("Health"));
  EXPECT_EQ(std::get<wire::Prototypes>(sent[1]).prototypes.size(), 1u);
}

TEST_F(ClientReplicationTest, NamesAreSentOnce) {
  world.registry.add<demo::Health>(world.create());
  publish_and_view();
  write_delta();
  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  EXPECT_EQ(messages().size(), 2u);
  world.end_tick();
  const ecs::Entity both = world.create();
  world.registry.add<demo::Health>(both);
  world.registry.add<demo::Team>(both);
  world.publish();
  client.view->add_visible(both.index, false);
  client.view->forget(world.reclaimed);
  encoded.begin_tick(world.registry.tick());
  write_delta();
  ASSERT_TRUE(client.announce_prototypes(world.registry, lane).ok());
  const std::vector<wire::Message> sent = messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(std::get<wire::Names>(sent[0]).texts, testing::ElementsAre("Team"));
}

TEST_F(ClientReplicationTest, AFullLaneIsAnError) {
  transport::Session narrow({.reliable_queue_bytes_max = 64}, 0);
  for (int i = 0; i < 30; ++i) world.changes(5);
  publish_and_view();
  write_delta();
  ASSERT_FALSE(client.view->prototypes().wanted().empty());
  const core::Status announced = client.announce_prototypes(world.registry, narrow);
  ASSERT_FALSE(announced.ok());
  EXPECT_STREQ(announced.error().reason, "queue full");
}

}  // namespace
}  // namespace mobula::server

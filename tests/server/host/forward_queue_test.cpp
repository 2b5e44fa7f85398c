#include <gtest/gtest.h>

#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/host/forward_queue.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <server/hamlet.hpp>

namespace mobula::server {
namespace forward_queue_test {

constexpr std::uint32_t east = 1;
constexpr std::uint32_t north = 2;
constexpr core::Nanoseconds start = core::second;

class ForwardQueueTest : public testing::Test {
 protected:
  void add(ecs::Entity to, std::uint8_t passed = 0, std::size_t bytes = 1) {
    std::vector<wire::Forward> abroad;
    abroad.push_back({.entity = to, .passed = passed, .bytes = core::Bytes(bytes)});
    queue.add(std::move(abroad), now);
  }
  void update(core::Nanoseconds later = 0) {
    now += later;
    queue.update(*world, now, [this](std::uint32_t zone, const wire::Forward& content) {
      if (reachable) sent.emplace_back(zone, content.passed);
      return reachable;
    });
  }
  ecs::Entity make_ghost(std::uint32_t zone) {
    const ecs::Entity entity = world->registry().create();
    show(entity, zone);
    return entity;
  }
  void show(ecs::Entity entity, std::uint32_t zone) {
    ecs::Guests(world->registry()).set_ghost(entity, true);
    world->registry().add<Ghost>(entity, {.neighbour = zone});
  }
  void take_over(ecs::Entity entity) {
    world->registry().remove<Ghost>(entity);
    ecs::Guests(world->registry()).set_ghost(entity, false);
  }

  std::unique_ptr<World> world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr}));
  ForwardQueue queue;
  core::Nanoseconds now = start;
  bool reachable = true;
  std::vector<std::pair<std::uint32_t, int>> sent;  // zone, passed
};

TEST_F(ForwardQueueTest, OwnMessagesArePassedOnAtOnce) {
  add(make_ghost(east));
  add(make_ghost(north));
  update();
  EXPECT_EQ(sent, (std::vector<std::pair<std::uint32_t, int>>{{east, 1}, {north, 1}}));
  update(core::second);
  EXPECT_EQ(sent.size(), 2u) << "once";
  EXPECT_EQ(queue.passed_on(), 2u);
  EXPECT_EQ(queue.dropped(), 0u);
}

// The zone that sent it shows the entity as a ghost of this one, and this one as a ghost of that: it is on its way.
TEST_F(ForwardQueueTest, ForeignMessagesWaitForTheirEntity) {
  const ecs::Entity walker = make_ghost(east);
  add(walker, 1);
  update();
  EXPECT_TRUE(sent.empty());
  take_over(walker);
  update(ForwardQueue::wait_for_entity);
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(world->messages().take().size(), 1u);
  update(core::second);
  EXPECT_TRUE(world->messages().take().empty()) << "once";
}

TEST_F(ForwardQueueTest, ForeignMessagesArePassedOnLater) {
  add(make_ghost(north), 1);
  update(ForwardQueue::wait_for_entity - 1);
  EXPECT_TRUE(sent.empty());
  update(1);
  EXPECT_EQ(sent, (std::vector<std::pair<std::uint32_t, int>>{{north, 2}}));
}

TEST_F(ForwardQueueTest, AnUnreachableZoneIsTriedAgain) {
  reachable = false;
  add(make_ghost(east));
  update();
  update(core::second);
  reachable = true;
  update(core::second);
  EXPECT_EQ(sent, (std::vector<std::pair<std::uint32_t, int>>{{east, 1}}));
  EXPECT_EQ(queue.dropped(), 0u);
}

TEST_F(ForwardQueueTest, MessagesToEntitiesOfNobodyAreDropped) {
  reachable = false;
  add(make_ghost(east));
  add({77, 1});
  update(ForwardQueue::patience - 1);
  EXPECT_EQ(queue.dropped(), 0u);
  update(1);
  EXPECT_EQ(queue.dropped(), 2u);
}

TEST_F(ForwardQueueTest, AfterManyZonesNothingIsPassedOn) {
  add(make_ghost(east), ForwardQueue::passed_max);
  update(ForwardQueue::wait_for_entity);
  EXPECT_TRUE(sent.empty());
  update(ForwardQueue::patience);
  EXPECT_EQ(queue.dropped(), 1u);
}

TEST_F(ForwardQueueTest, ItsBytesAreBounded) {
  constexpr std::size_t bytes = 16 * 1024;
  constexpr std::size_t most = ForwardQueue::bytes_max / bytes;
  for (std::size_t i = 0; i < 2 * most; ++i) add({77, 1}, 1, bytes);
  EXPECT_GT(queue.dropped(), most);
  EXPECT_LT(queue.dropped(), most + most / 8);
  update(ForwardQueue::patience);
  EXPECT_EQ(queue.dropped(), 2 * most);
  add({77, 1}, 1, bytes);
  EXPECT_EQ(queue.dropped(), 2 * most) << "there is room again";
}

}  // namespace forward_queue_test
}  // namespace mobula::server

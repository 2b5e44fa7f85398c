// Which pending entities a view sends while there are more than fit.
#include <gtest/gtest.h>

#include <limits>
#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using test::RandomWorld;
using test::Replica;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
// About ten entities per tick.
constexpr std::size_t budget = 60;
constexpr std::size_t datagram = 200;

// A world in which each of `busy` changes in every tick, and `decor` when the test changes it.
class Crowd {
 public:
  explicit Crowd(int count) : replica(world, 0, 1) {
    for (int i = 0; i < count; ++i) busy.push_back(make());
    decor = make();
  }
  void tick() {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    world.publish();
    replica.see_all();
    replica.tick(budget, datagram);
    world.end_tick();
  }
  // Returns the number of ticks until the condition holds, at most `limit`.
  template <class Condition>
  int ticks_until(Condition&& condition, int limit) {
    int ticks = 0;
    for (; ticks < limit && !condition(); ++ticks) tick();
    return ticks;
  }
  [[nodiscard]] float shown(ecs::Entity entity) {
    const auto* transform = replica.client.mirror->registry().try_get<const engine::Transform>(entity);
    return transform == nullptr ? nan : transform->position.x;
  }
  [[nodiscard]] bool mirrors(ecs::Entity entity) { return replica.client.mirror->registry().valid(entity); }
  [[nodiscard]] ecs::Tick age(ecs::Entity entity) {
    return world.registry.tick() - replica.client.mirror->tick_of(entity);
  }

  RandomWorld world{3, test::load_game_schema_without_courses()};
  Replica replica;
  std::vector<ecs::Entity> busy;
  ecs::Entity decor;

 private:
  ecs::Entity make() {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity);
    return entity;
  }
};

TEST(ClientViewWrite, NoImportanceKeepsAnEntityFromTheClient) {
  constexpr int count = 60;
  constexpr int rounds = (count + 1) / 10 + 1;  // ticks in which each could be sent once
  constexpr int slowest = static_cast<int>(rounds / Relevance::priority_min);
  for (const float importance :
       {0.0f, -0.0f, -1.0f, nan, 1e-30f, -infinity, std::numeric_limits<float>::denorm_min()}) {
    SCOPED_TRACE(importance);
    Crowd crowd(count);
    crowd.replica.importance = [&](std::uint32_t index) { return index == crowd.decor.index ? importance : 1.0f; };
    ASSERT_LT(crowd.ticks_until([&] { return crowd.mirrors(crowd.decor); }, 1000), 8 * slowest);
    crowd.world.registry.get<engine::Transform>(crowd.decor).position.x = 7;
    EXPECT_LE(crowd.ticks_until([&] { return crowd.shown(crowd.decor) == 7; }, 1000), slowest + 3);
    crowd.world.destroy(crowd.world.alive.size() - 1);
    EXPECT_LE(crowd.ticks_until([&] { return !crowd.mirrors(crowd.decor); }, 1000), 3) << "its end goes first";
  }
}

TEST(ClientViewWrite, NoImportanceKeepsTheOthersFromTheClient) {
  for (const float importance : {1e38f, infinity, std::numeric_limits<float>::max()}) {
    SCOPED_TRACE(importance);
    Crowd crowd(60);
    crowd.replica.importance = [&](std::uint32_t index) { return index < 5 ? importance : 1.0f; };
    for (int tick = 0; tick < 200; ++tick) {
      crowd.tick();
      for (const ecs::Entity entity : crowd.busy) ASSERT_TRUE(tick < 50 || crowd.age(entity) < 30) << to_string(entity);
    }
  }
}

TEST(ClientViewWrite, EntitiesWithoutANumberForImportanceTakeTurns) {
  Crowd crowd(300);
  crowd.replica.importance = [](std::uint32_t) { return nan; };
  for (int tick = 0; tick < 400; ++tick) {
    crowd.tick();
    for (const ecs::Entity entity : crowd.busy) ASSERT_TRUE(tick < 300 || crowd.age(entity) < 60) << to_string(entity);
  }
}

// The entities that do not fit must not be the same in each tick, however large they are.
TEST(ClientViewWrite, EntitiesOfAnySizeTakeTurns) {
  for (const std::size_t bytes_max : {100u, 400u, 800u, 1600u}) {
    SCOPED_TRACE(bytes_max);
    RandomWorld world(5);
    Replica replica(world, 0, 1);
    std::vector<ecs::Entity> all;
    for (int i = 0; i < 120; ++i) {
      all.push_back(world.create());
      world.registry.add<engine::Transform>(all.back());
      if (i % 3 != 0) world.registry.add<demo::Name>(all.back());
    }
    const ecs::Tick turn = static_cast<ecs::Tick>(120 * 30 / bytes_max + 4);
    for (int tick = 0; tick < 200; ++tick) {
      for (const ecs::Entity entity : all) {
        world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
        if (!world.registry.has<demo::Name>(entity)) continue;
        for (auto& byte : world.registry.get<demo::Name>(entity).text)
          byte = static_cast<char>('a' + world.random.below(26));
      }
      world.publish();
      replica.see_all();
      replica.tick(bytes_max, 400);
      world.end_tick();
      for (const ecs::Entity entity : all)
        ASSERT_TRUE(tick < 100 || world.registry.tick() - replica.client.mirror->tick_of(entity) <= 2 * turn)
            << "tick " << tick << ", entity " << to_string(entity);
    }
  }
}

}  // namespace
}  // namespace mobula::server

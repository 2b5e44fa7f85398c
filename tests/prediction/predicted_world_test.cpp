#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mobula/ecs/registry_guests.hpp>
#include <prediction/rules_world.hpp>

namespace mobula::prediction {
namespace {

using namespace test;
using testing::ElementsAre;

const Command command{.player = 4, .number = 11};

TEST(PredictedWorld, GivesTheTimeOfTheStep) {
  Side server;
  const PredictedWorld world(server.context, 17);
  EXPECT_EQ(world.tick(), 17u);
  EXPECT_EQ(world.ticks_per_second(), 50u);
  EXPECT_EQ(world.seconds_per_tick(), 0.02f);
  EXPECT_EQ(world.find_static(1), nullptr) << "there is no level";
}

// --- Access --------------------------------------------------------------------------------------------------------

class PredictedWorldOfClient : public testing::Test {
 protected:
  PredictedWorldOfClient() {
    for (ecs::Entity* const entity : {&own, &other, &hidden, &far})
      *entity = server.registry.create(Body{.x = 1}, Health{5});
    client.copy(server.registry, own, true);
    client.copy(server.registry, other, false);
    client.copy(server.registry, hidden, true);
    client.registry.get<Body>(own).x = 2;
    std::erase(client.stepped.alive, hidden);
  }

  Side server;
  ClientSide client;
  ecs::Entity own, other, hidden, far;
};

TEST_F(PredictedWorldOfClient, WritesSteppedEntitiesAlone) {
  PredictedWorld world(client.context, 3);
  EXPECT_EQ(world.get<Body>(own).x, 2.0f);
  for (const ecs::Entity entity : {other, hidden, far, ecs::null_entity}) {
    EXPECT_EQ(world.try_get<Body>(entity), nullptr);
    EXPECT_FALSE(world.steps(entity));
  }
  EXPECT_TRUE(world.steps(own));
  EXPECT_EQ(world.try_get<Body>({own.index, own.generation + 1}), nullptr) << "a stale handle";
}

TEST_F(PredictedWorldOfClient, ReadsOthersFromTheMirror) {
  PredictedWorld world(client.context, 3);
  EXPECT_EQ(world.get<const Body>(own).x, 2.0f) << "the predicted value";
  EXPECT_EQ(world.get<const Body>(other).x, 1.0f);
  EXPECT_EQ(world.get<const Health>(other).points, 5);
  EXPECT_EQ(world.try_get<const Body>(hidden), nullptr) << "though the mirror still has it";
  EXPECT_EQ(world.try_get<const Body>(far), nullptr);
  EXPECT_EQ(world.try_get<const Engine>(own), nullptr);
  std::vector<ecs::Entity> seen;
  world.each_visible<const Body>([&](ecs::Entity entity, const Body&) { seen.push_back(entity); });
  EXPECT_THAT(seen, ElementsAre(own, other));
}

TEST_F(PredictedWorldOfClient, DestroyHidesAnEntity) {
  PredictedWorld world(client.context, 3);
  world.destroy(other);
  world.destroy(far);
  world.destroy(ecs::null_entity);
  EXPECT_NE(world.try_get<const Body>(other), nullptr) << "the server decides about it";
  world.destroy(own);
  EXPECT_TRUE(client.stepped.alive.empty());
  EXPECT_EQ(world.try_get<Body>(own), nullptr);
  EXPECT_TRUE(client.registry.valid(own)) << "the client can undo it";
  world.destroy(own);
}

TEST(PredictedWorld, DestroyEndsAnEntityOfTheServer) {
  Side server;
  const ecs::Entity entity = server.registry.create(Body{});
  PredictedWorld world(server.context, 3);
  world.destroy(entity);
  EXPECT_FALSE(server.registry.valid(entity));
  world.destroy(entity);
}

// The server of a zone reads ghosts, as a client reads its mirror.
TEST(PredictedWorld, GhostsAreReadAndNotStepped) {
  Side server;
  server.context.visible = &server.registry;
  const ecs::Entity own = server.registry.create(Body{.x = 1});
  const ecs::Entity ghost = server.registry.create(Body{.x = 2});
  ecs::Guests(server.registry).set_ghost(ghost, true);
  PredictedWorld world(server.context, 3);
  EXPECT_TRUE(world.steps(own));
  EXPECT_FALSE(world.steps(ghost));
  EXPECT_EQ(world.try_get<Body>(ghost), nullptr);
  EXPECT_EQ(world.get<const Body>(ghost).x, 2);
  std::vector<ecs::Entity> stepped;
  std::vector<ecs::Entity> seen;
  world.each<Body>([&](ecs::Entity entity, Body&) { stepped.push_back(entity); });
  world.each_visible<const Body>([&](ecs::Entity entity, const Body&) { seen.push_back(entity); });
  EXPECT_THAT(stepped, ElementsAre(own));
  EXPECT_THAT(seen, ElementsAre(own, ghost));
  world.destroy(ghost);
  EXPECT_TRUE(server.registry.valid(ghost)) << "its own zone destroys it";
}

TEST(PredictedWorldDeathTest, GetNamesWhatIsMissing) {
  Side server;
  const ecs::Entity entity = server.registry.create(Body{});
  server.registry.destroy(entity);
  PredictedWorld world(server.context, 3);
  EXPECT_DEATH(static_cast<void>(world.get<Body>(entity)), "Body");
  EXPECT_DEATH(static_cast<void>(world.get<const Health>(entity)), "Health");
}

// --- Random numbers ------------------------------------------------------------------------------------------------

TEST(PredictedWorld, RandomNumbersAreGolden) {
  Side server;
  PredictedWorld world(server.context, 3);
  EXPECT_EQ(world.random(7).next(), 16482491235295156771u);
  EXPECT_EQ(world.random(ecs::Entity{7, 1}).next(), 11049579352283834812u);
}

TEST(PredictedWorld, RandomNumbersFollowFromSeedTickAndKey) {
  Side server;
  std::map<std::uint64_t, std::string> drawn;
  const auto draw = [&](std::uint64_t number, const std::string& name) {
    const auto [found, is_new] = drawn.emplace(number, name);
    EXPECT_TRUE(is_new) << name << " has the numbers of " << found->second;
  };
  for (const std::uint64_t seed : {5u, 6u}) {
    server.context.seed = seed;
    for (const ecs::Tick tick : {3u, 4u}) {
      PredictedWorld world(server.context, tick);
      const std::string at = std::to_string(seed) + "/" + std::to_string(tick) + "/";
      for (const std::uint64_t key : {0ull, 1ull, 1ull << 32}) draw(world.random(key).next(), at + std::to_string(key));
      draw(world.random(ecs::Entity{1, 0}).next(), at + "1.0");
      draw(world.random(ecs::Entity{0, 1}).next(), at + "0.1");
      EXPECT_EQ(world.random(1).next(), world.random(1).next()) << "a call does not change the next";
    }
  }
}

TEST(PredictedWorld, ASpawnedEntityHasTheSameNumbersOnBothSides) {
  Side server;
  ClientSide client;
  server.registry.create(Body{});
  PredictedWorld at_server(server.context, 3);
  PredictedWorld at_client(client.context, 3);
  const ecs::Entity real = at_server.spawn(command, Body{});
  const ecs::Entity local = at_client.spawn(command, Body{});
  const ecs::Entity second = at_client.spawn(command, Body{});
  ASSERT_NE(real, local);
  EXPECT_EQ(at_server.random(real).next(), at_client.random(local).next());
  EXPECT_NE(at_client.random(second).next(), at_client.random(local).next());
}

TEST(PredictedWorld, SpawnsOfTwoPlayersDrawDifferentNumbers) {
  Side server;
  ClientSide client;
  for (Side* const side : {static_cast<Side*>(&server), static_cast<Side*>(&client)}) {
    PredictedWorld world(side->context, 3);
    const ecs::Entity one = world.spawn(command, Body{});
    const ecs::Entity other = world.spawn({.player = command.player + 1, .number = command.number}, Body{});
    EXPECT_NE(world.random(one).next(), world.random(other).next());
  }
}

// --- Spawned entities ----------------------------------------------------------------------------------------------

TEST(PredictedWorld, SpawnKeysCountPerPlayerAndCommand) {
  Side server;
  ClientSide client;
  const std::array<Side*, 2> sides{&server, &client};
  for (Side* const side : sides) {
    PredictedWorld world(side->context, 30);
    const Command of_other{.player = 5, .number = 11};
    const Command next{.player = 4, .number = 12};
    const std::array<const Command*, 6> order{&command, &command, &of_other, &next, &command, &of_other};
    const std::array<int, 6> ordinals{0, 1, 0, 0, 2, 1};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const ecs::Entity entity = world.spawn(*order[i], Body{.x = 3}, Engine{4});
      const engine::SpawnKey key = side->registry.get<const engine::SpawnKey>(entity);
      EXPECT_EQ(key.tick, 30u);
      EXPECT_EQ(key.player, order[i]->player);
      EXPECT_EQ(key.command, order[i]->number);
      EXPECT_EQ(key.ordinal, ordinals[i]);
      EXPECT_EQ(world.get<Body>(entity).x, 3.0f);
      EXPECT_EQ(world.get<Engine>(entity).power, 4);
      const Spawned& noted = side->spawned[i];
      EXPECT_EQ(noted.entity, entity);
      EXPECT_EQ(noted.player, order[i]->player);
      EXPECT_EQ(noted.command, order[i]->number);
      EXPECT_EQ(noted.ordinal, ordinals[i]);
    }
  }
}

TEST_F(PredictedWorldOfClient, SpawnTakesLocalHandles) {
  PredictedWorld world(client.context, 3);
  const ecs::Entity first = world.spawn(command, Body{});
  const ecs::Entity second = world.spawn(command, Body{});
  EXPECT_EQ(first, (ecs::Entity{ClientSide::first_local, 1}));
  EXPECT_EQ(second, (ecs::Entity{ClientSide::first_local + 1, 1}));
  EXPECT_EQ(client.stepped.next_local.index, ClientSide::first_local + 2);
  EXPECT_THAT(client.stepped.alive, ElementsAre(own, first, second));
}

TEST(PredictedWorld, SpawnReturnsNullIfTheWorldIsFull) {
  Side server({.entities = {.entities_max = 3}, .pools = {}});
  PredictedWorld world(server.context, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(static_cast<bool>(world.spawn(command, Body{})));
  EXPECT_FALSE(static_cast<bool>(world.spawn(command, Body{})));
  EXPECT_EQ(server.spawned.size(), 3u);
}

TEST(PredictedWorld, SpawnReturnsNullWithoutALocalHandle) {
  ClientSide client;
  client.stepped.next_local = {~0u, 1};
  PredictedWorld world(client.context, 3);
  EXPECT_FALSE(static_cast<bool>(world.spawn(command, Body{})));
  EXPECT_TRUE(client.stepped.alive.empty());
  EXPECT_TRUE(client.spawned.empty());
}

TEST(PredictedWorldDeathTest, TooManySpawnsOfACommandFailACheck) {
  Side server;
  PredictedWorld world(server.context, 3);
  for (std::size_t i = 0; i < PredictedWorld::spawns_max; ++i) world.spawn(command, Body{});
  EXPECT_EQ(server.spawned.back().ordinal, 255);
  EXPECT_DEATH(world.spawn(command, Body{}), "command 11 spawns more than 256 entities");
}

TEST(PredictedWorld, EffectsBelongToTheTick) {
  Side server;
  PredictedWorld world(server.context, 30);
  const core::Bytes payload(2, std::byte{1});
  world.effect(core::StringId32("flash"), 8, payload);
  ASSERT_EQ(server.effects.size(), 1u);
  const Effect effect = server.effects.at(0);
  EXPECT_EQ(effect.name, core::StringId32("flash"));
  EXPECT_EQ(effect.key, 8u);
  EXPECT_EQ(effect.tick, 30u);
  EXPECT_EQ(effect.payload.size(), 2u);
}

}  // namespace
}  // namespace mobula::prediction

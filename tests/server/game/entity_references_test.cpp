// References of components to entities that a reload removes, compared with a model that repoints every reference.
#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/entity_references.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>

namespace mobula::server::entity_references_test {
namespace {

class EntityReferences : public testing::Test {
 protected:
  EntityReferences() {
    EXPECT_TRUE(reflect::register_components(registry, *test::game_schema()).ok());
    for (int i = 0; i < 40; ++i) entities.push_back(registry.create());
  }
  ecs::Entity& pick() { return entities[random.below(static_cast<std::uint32_t>(entities.size()))]; }
  void follow(const LevelChange& change) { follow_references(registry, *test::game_schema(), change); }

  ecs::Registry registry;
  std::vector<ecs::Entity> entities;
  core::Random random{1};
};

TEST_F(EntityReferences, FollowOnlyIfTheyNameARemovedEntity) {
  const ecs::PoolId second = registry.pool_of<demo::Target>("Second");
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random = core::Random(seed);
    LevelChange change;
    for (const ecs::Entity entity : entities)
      if (random.chance(1, 3)) change.removed.push_back({entity, random.chance(1, 2) ? pick() : ecs::null_entity});
    std::vector<std::pair<ecs::Entity, ecs::Entity>> expected;  // owner, target
    for (const ecs::Entity entity : entities) {
      const ecs::Entity target = random.chance(1, 5) ? ecs::null_entity : pick();
      for (const ecs::PoolId pool : {registry.pool_of<demo::Target>(), second}) {
        if (registry.try_get<const demo::Target>(entity, pool) == nullptr) registry.add<demo::Target>(entity, {}, pool);
        registry.get<demo::Target>(entity, pool).entity = target;
      }
      const bool owner_removed = change.follow(entity) != entity;
      expected.emplace_back(entity, owner_removed ? target : change.follow(target));
    }
    follow(change);
    for (const auto& [owner, target] : expected) {
      EXPECT_EQ(registry.get<const demo::Target>(owner).entity, target) << to_string(owner);
      EXPECT_EQ(registry.get<const demo::Target>(owner, second).entity, target) << "a named instance";
    }
  }
}

TEST_F(EntityReferences, AComponentThatDoesNotFollowIsNotWritten) {
  registry.add<demo::Target>(entities[0]).entity = entities[1];
  registry.set_tick(registry.tick() + 1);
  const ecs::Pool& pool = registry.pool<demo::Target>();
  const ecs::Tick before = pool.change_ticks()[0];
  follow({.removed = {{entities[2], entities[3]}}});
  EXPECT_EQ(pool.change_ticks()[0], before);
  follow({.removed = {{entities[1], entities[3]}}});
  EXPECT_EQ(pool.change_ticks()[0], registry.tick());
}

TEST_F(EntityReferences, ParentsAreLeftToTheHierarchy) {
  registry.add<engine::Parent>(entities[0]).entity = entities[1];
  follow({.removed = {{entities[1], entities[2]}}});
  EXPECT_EQ(registry.get<const engine::Parent>(entities[0]).entity, entities[1]);
}

TEST_F(EntityReferences, ElementsOfArraysAndNestedStructsFollow) {
  const auto schema = test::load_schema(
      "struct Seat { by:mobula.engine.EntityRef; at:float; }"
      "struct Boat (component) { seats:[Seat:3]; owner:mobula.engine.EntityRef; }");
  ecs::Registry boats;
  ASSERT_TRUE(reflect::register_components(boats, *schema).ok());
  const ecs::Entity boat = boats.create();
  const ecs::Entity old = boats.create();
  const ecs::Entity next = boats.create();
  const reflect::Component& type = *schema->find("Boat");
  const ecs::PoolId pool = boats.find_pool(type.id, type.id);
  std::byte* const row = boats.add_bytes(boat, pool);
  std::vector<std::uint32_t> offsets;
  for (const reflect::Field& field : type.fields)
    for (std::uint32_t i = 0; field.kind == reflect::FieldKind::entity && i < field.count; ++i)
      offsets.push_back(field.offset + i * field.stride);
  ASSERT_EQ(offsets.size(), 4u);
  for (const std::uint32_t offset : offsets) core::store(row + offset, old);
  follow_references(boats, *schema, {.removed = {{old, next}}});
  for (const std::uint32_t offset : offsets)
    EXPECT_EQ(core::load<ecs::Entity>(boats.try_read(boat, pool) + offset), next) << offset;
}

}  // namespace
}  // namespace mobula::server::entity_references_test

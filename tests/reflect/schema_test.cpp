#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mobula/core/content_hash.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DemoSchema : public testing::Test {
 protected:
  const std::shared_ptr<const Schema> schema_ = *Schema::load(demo::schema_bytes());
};

TEST_F(DemoSchema, HasItsComponentsAndTheEnginesByName) {
  std::vector<std::string> names;
  for (const Component& component : schema_->components()) names.push_back(component.name);
  EXPECT_THAT(names, ElementsAre("Avatar", "Carrier", "Cuts", "Health", "Inventory", "Name", "Obstacle", "Parent",
                                 "Patrol", "Pickup", "Pose", "RenderData", "SpawnKey", "SpawnPoint", "Stone", "Target",
                                 "Team", "Transform", "Velocity", "Walker", "Wander"));
}

TEST_F(DemoSchema, PositionsHaveStepsOfTwoMillimetres) {
  const Field& x = *schema_->find("Transform")->find_field("position.x");
  EXPECT_EQ(x.kind, FieldKind::float32);
  EXPECT_EQ(x.low, -512);
  EXPECT_EQ(x.high, 512);
  EXPECT_EQ(x.step, 0.002);
  EXPECT_EQ(x.steps, 512000u);
  EXPECT_EQ(x.bits, 19u);
  EXPECT_EQ(schema_->find("Transform")->find_field("rotation")->bits, 12u);
}

TEST_F(DemoSchema, MarksComponentsThatAreNotSent) {
  EXPECT_TRUE(schema_->find("Wander")->not_sent);
  EXPECT_TRUE(schema_->find("Inventory")->find_field("items")->owner_only);
  EXPECT_TRUE(schema_->find("Inventory")->find_field("item_count")->owner_only);
}

TEST_F(DemoSchema, IsFoundByNameAndById) {
  const Component* health = schema_->find("Health");
  ASSERT_NE(health, nullptr);
  EXPECT_EQ(schema_->find(core::StringId32("Health")), health);
  EXPECT_EQ(health->id, core::StringId32("Health"));
  EXPECT_EQ(schema_->find("health"), nullptr);
  EXPECT_EQ(schema_->find(core::StringId32(0u)), nullptr);
}

TEST_F(DemoSchema, KeepsItsBytesAndTheirFingerprint) {
  EXPECT_TRUE(std::ranges::equal(schema_->bytes(), demo::schema_bytes()));
  EXPECT_EQ(schema_->fingerprint(), core::content_hash(demo::schema_bytes()));
}

TEST_F(DemoSchema, RegistersItsComponentsWithTheirDefaults) {
  ecs::Registry registry;
  ASSERT_TRUE(register_components(registry, *schema_).ok());
  const ecs::ComponentType* type = registry.find_type(core::StringId32("Health"));
  ASSERT_NE(type, nullptr);
  EXPECT_TRUE(type->schema);
  EXPECT_EQ(type->size, sizeof(demo::Health));
  EXPECT_EQ(type->alignment, alignof(demo::Health));
  const ecs::PoolId pool = registry.find_pool(core::StringId32("Health"), core::StringId32("Health"));
  ASSERT_NE(pool, ecs::Registry::no_pool);
  const ecs::Entity entity = registry.create();
  registry.add_bytes(entity, pool);
  EXPECT_EQ(registry.get<const demo::Health>(entity).current, 100);
}

TEST(Schema, TwoComponentsOfOneNameAreRefused) {
  const std::string message =
      test::refusal("struct C (component) { n:int; } namespace other; struct C (component) { m:int; }");
  EXPECT_THAT(message, HasSubstr("the name is that of another component"));
  EXPECT_THAT(test::refusal("struct Parent (component) { n:int; }"), HasSubstr("Parent"));
}

TEST(Schema, TwoComponentsOfOneHashAreRefused) {
  // Searches two names with the same hash, which exist among the first hundred thousand.
  std::map<std::uint32_t, std::string> seen;
  for (std::uint32_t i = 0;; ++i) {
    const std::string name = "C" + std::to_string(i);
    const auto [place, fresh] = seen.emplace(core::StringId32(name).value, name);
    if (fresh) continue;
    EXPECT_THAT(
        test::refusal("struct " + place->second + " (component) { n:int; } struct " + name + " (component) { n:int; }"),
        HasSubstr("has the hash of"));
    return;
  }
}

TEST(Schema, TablesAndPlainStructsAreNotComponents) {
  const auto schema =
      test::load_schema("struct S { n:int; } table V { n:int; } union U { V } table T { s:string; u:U; }");
  EXPECT_EQ(schema->find("S"), nullptr);
  EXPECT_EQ(schema->components().size(), 4u);  // the engine's
}

TEST(Schema, IntegersFitTheirKinds) {
  EXPECT_TRUE(integer_fits(-128, FieldKind::int8));
  EXPECT_FALSE(integer_fits(-129, FieldKind::int8));
  EXPECT_FALSE(integer_fits(-1, FieldKind::uint16));
  EXPECT_TRUE(integer_fits(0xffffffff, FieldKind::uint32));
  EXPECT_FALSE(integer_fits(0x100000000, FieldKind::uint32));
  EXPECT_TRUE(integer_fits(-1, FieldKind::uint64));
}

}  // namespace
}  // namespace mobula::reflect

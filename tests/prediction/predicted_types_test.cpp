#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <prediction/rules_world.hpp>

namespace mobula::prediction {
namespace {

using namespace test;
using testing::HasSubstr;

// A wrong access does not compile.
static_assert(PredictedComponent<Body> && PredictedComponent<Engine>);
static_assert(!PredictedComponent<Health> && !PredictedComponent<int>);
static_assert(StepAccess<Body> && StepAccess<const Body> && StepAccess<const Health>);
static_assert(!StepAccess<Health>, "it has no predicted field");
static_assert(!StepAccess<const int>, "it is no component of the schema");

template <class T>
concept StepCanGet = requires(PredictedWorld& world, ecs::Entity entity) { world.try_get<T>(entity); };
template <class T>
concept StepCanIterate = requires(PredictedWorld& world) { world.each<T>([](T&) {}); };
template <class T>
concept StepCanIterateAll = requires(PredictedWorld& world) { world.each_visible<T>([](T&) {}); };
template <class T>
concept StepCanSpawn = requires(PredictedWorld& world, const Command& command) { world.spawn(command, T{}); };
static_assert(StepCanGet<Body> && StepCanGet<const Health> && !StepCanGet<Health>);
static_assert(StepCanIterate<Body> && StepCanIterate<const Health> && !StepCanIterate<Health>);
static_assert(StepCanIterateAll<const Body> && !StepCanIterateAll<Body>, "entities of others are only read");
static_assert(StepCanSpawn<Body> && !StepCanSpawn<Health>);

class PredictedTypesTest : public testing::Test {
 protected:
  PredictedTypesTest() { EXPECT_TRUE(reflect::register_components(registry, rules_schema()).ok()); }
  core::Result<PredictedTypes> resolve(std::vector<std::string_view> reads) {
    return PredictedTypes::resolve(registry, rules_schema(), {.step = no_step, .reads = std::move(reads)});
  }
  ecs::Registry registry;
};

TEST_F(PredictedTypesTest, FindsThePoolsOfPredictedComponents) {
  const auto types = resolve({});
  ASSERT_TRUE(types.ok());
  ASSERT_EQ(types->predicted().size(), 2u);
  EXPECT_EQ(types->predicted()[0].pool, registry.pool_of<Body>());
  EXPECT_EQ(types->predicted()[1].pool, registry.pool_of<Engine>());
  EXPECT_TRUE(types->predicted()[0].codec.has_predicted());
  EXPECT_TRUE(types->declared().empty());
}

TEST_F(PredictedTypesTest, OthersThanPredictedAndListedAreUnreadable) {
  const auto types = resolve({"Name", "Body", "Health", "Name"});
  ASSERT_TRUE(types.ok());
  EXPECT_THAT(types->declared(), testing::ElementsAre(registry.pool_of<Name>(), registry.pool_of<Health>()));
  for (std::uint32_t pool = 0; pool < registry.pool_count(); ++pool) {
    const std::string& name = registry.pool(pool).instance_name();
    EXPECT_EQ(types->is_readable(pool), name == "Body" || name == "Engine" || name == "Name" || name == "Health")
        << name;
  }
  EXPECT_FALSE(types->is_readable(registry.pool_count() + 100));
}

TEST_F(PredictedTypesTest, RefusesANameThatTheSchemaDoesNotHave) {
  const auto types = resolve({"Health", "Helth"});
  ASSERT_FALSE(types.ok());
  EXPECT_STREQ(types.error().reason, "unknown component");
  EXPECT_THAT(types.error().message, HasSubstr("lists Helth, which the schema does not have (did you mean 'Health'?)"));
}

TEST_F(PredictedTypesTest, RefusesAComponentThatIsNotSent) {
  const auto types = resolve({"Plan"});
  ASSERT_FALSE(types.ok());
  EXPECT_STREQ(types.error().reason, "not sent");
  EXPECT_THAT(types.error().message, HasSubstr("lists Plan, which clients do not receive"));
}

TEST(PredictedTypesDeathTest, ReadingAnUnlistedComponentNamesIt) {
  Side server;
  const ecs::Entity entity = server.registry.create(Body{}, Name{});
  PredictedWorld world(server.context, 1);
  EXPECT_NE(world.try_get<const Body>(entity), nullptr);
  const char* const message = "the step reads Name, which Rules::reads does not list";
  EXPECT_DEATH(static_cast<void>(world.try_get<const Name>(entity)), message);
  EXPECT_DEATH(static_cast<void>(world.get<const Name>(entity)), message);
  EXPECT_DEATH((world.each<Body, const Name>([](Body&, const Name&) {})), message);
  EXPECT_DEATH(world.each_visible<const Name>([](const Name&) {}), message);
}

}  // namespace
}  // namespace mobula::prediction

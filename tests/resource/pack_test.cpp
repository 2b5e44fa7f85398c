#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/pack.hpp>
#include <mobula/resource/spawner.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/random_level.hpp>
#include <resource/test_level.hpp>
#include <seeds.hpp>

namespace mobula::resource::pack_test {
namespace {

using Schema = std::shared_ptr<const reflect::Schema>;
using Entities = std::vector<ecs::Entity>;

struct Place : ecs::Registry {
  explicit Place(const reflect::Schema& schema) { EXPECT_TRUE(reflect::register_components(*this, schema).ok()); }
};

// Spawns packed entities. Returns their new handles, in the order in which they were packed.
Entities unpacked(const core::Bytes& bytes, const reflect::Schema& schema, ecs::Registry& registry) {
  const auto resource = Resource::from_bytes(bytes);
  EXPECT_TRUE(resource.ok()) << resource.error().message;
  if (!resource) return {};
  auto spawner = Spawner::bind(registry, schema, *resource);
  EXPECT_TRUE(spawner.ok()) << spawner.error().message;
  if (!spawner) return {};
  const auto range = spawner->spawn_level();
  EXPECT_TRUE(range.ok());
  Entities entities;
  for (std::uint32_t i = 0; i < range->count; ++i) entities.push_back(range->at(i));
  return entities;
}

Entities carried(const ecs::Registry& from, const reflect::Schema& schema, const Entities& entities,
                 ecs::Registry& to) {
  const core::Result<core::Bytes> bytes = pack(from, schema, entities);
  EXPECT_TRUE(bytes.ok());
  return unpacked(*bytes, schema, to);
}

// Reference: an entity's components, each handle replaced by the number of its entity among `known`, or by null.
std::map<std::string, core::Bytes> described(const ecs::Registry& registry, const reflect::Schema& schema,
                                             ecs::Entity entity, const Entities& known) {
  std::map<std::string, core::Bytes> all;
  for (const index::ComponentRef& each : index::components(registry, registry.prototype(entity))) {
    const ecs::PoolId pool = registry.find_pool(each.type, each.instance);
    const reflect::Component& component = *schema.find(each.type);
    if (component.not_saved) continue;
    const std::byte* const at = registry.try_read(entity, pool);
    core::Bytes row(at, at + component.size);
    for (const reflect::Field& field : component.fields) {
      for (std::uint32_t i = 0; field.not_saved && i < field.count; ++i) {
        const std::uint32_t offset = field.offset + i * field.stride;
        std::copy_n(component.default_value.data() + offset, field.size, row.data() + offset);
      }
      for (std::uint32_t i = 0; field.kind == reflect::FieldKind::entity && i < field.count; ++i) {
        std::byte* const handle = row.data() + field.offset + i * field.stride;
        const auto found = std::ranges::find(known, core::load<ecs::Entity>(handle));
        core::store(handle,
                    found == known.end() ? std::uint64_t{0} : 1 + static_cast<std::uint64_t>(found - known.begin()));
      }
    }
    all[component.name + "/" + registry.pool(pool).instance_name()] = std::move(row);
  }
  return all;
}

// Some entities of a random level, in random order, get to another registry.
TEST(Pack, EntitiesAreTheSameElsewhere) {
  for (std::uint64_t seed = 1; seed <= test::few_or_all(20, 100) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    const Schema schema = test::load_schema(test::random_level_schema(random));
    const auto level = test::load_compiled(test::compile_files({{"level.json", test::random_level(*schema, random)}},
                                                               *schema, test::random_level_compilers()));
    Place from(*schema);
    const auto range = Spawner::bind(from, *schema, level)->spawn_level();
    ASSERT_TRUE(range.ok());
    Entities chosen;
    for (std::uint32_t i = 0; i < range->count; ++i)
      if (random.chance(2, 3)) chosen.push_back(range->at(i));
    for (std::size_t i = chosen.size(); i > 1; --i)
      std::swap(chosen[i - 1], chosen[random.below(static_cast<std::uint32_t>(i))]);
    Place to(*schema);
    for (int i = 0; i < 7; ++i) to.create();
    const Entities made = carried(from, *schema, chosen, to);
    ASSERT_EQ(made.size(), chosen.size());
    for (std::size_t i = 0; i < made.size(); ++i)
      ASSERT_EQ(described(to, *schema, made[i], made), described(from, *schema, chosen[i], chosen)) << i;
    to.check();
  }
}

const Schema& boxes() {
  static const Schema schema = test::load_schema(
      "struct Box (component) { weight:float (range:\"0 100\", step:\"0.5\"); top:mobula.engine.EntityRef; "
      "scratch:uint (not_saved); "
      "}"
      "struct Trail (component, not_saved) { length:uint; }");
  return schema;
}

ecs::PoolId pool_of(ecs::Registry& registry, std::string_view type, std::string_view name) {
  return *registry.open_pool(core::StringId32(type), name);
}

ecs::Entity add_box(ecs::Registry& registry, float weight, ecs::Entity top = {}, std::string_view name = "Box") {
  const ecs::Entity entity = registry.create();
  const ecs::PoolId pool = pool_of(registry, "Box", name);
  core::Bytes row(boxes()->find("Box")->size);
  core::store(row.data() + boxes()->find("Box")->find_field("weight")->offset, weight);
  core::store(row.data() + boxes()->find("Box")->find_field("top")->offset, top);
  registry.add_bytes(entity, pool, row);
  return entity;
}

float weight_of(ecs::Registry& registry, ecs::Entity entity) {
  return core::load<float>(registry.try_read(entity, pool_of(registry, "Box", "Box")) +
                           boxes()->find("Box")->find_field("weight")->offset);
}

TEST(Pack, ValuesThatTheSchemaForbidsBecomeValid) {
  Place from(*boxes());
  const Entities packed{add_box(from, 700), add_box(from, std::numeric_limits<float>::quiet_NaN()), add_box(from, 7)};
  Place to(*boxes());
  const Entities made = carried(from, *boxes(), packed, to);
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(weight_of(to, made[0]), 100);
  EXPECT_EQ(weight_of(to, made[1]), 0);
  EXPECT_EQ(weight_of(to, made[2]), 7);
}

TEST(Pack, HandlesOfOthersBecomeNull) {
  Place from(*boxes());
  const ecs::Entity other = add_box(from, 1);
  Place to(*boxes());
  const ecs::Entity same_handle = to.create();
  ASSERT_EQ(same_handle, other) << "the handle means another entity there";
  const Entities made = carried(from, *boxes(), {add_box(from, 2, other)}, to);
  ASSERT_EQ(made.size(), 1u);
  const std::uint32_t offset = boxes()->find("Box")->find_field("top")->offset;
  EXPECT_EQ(core::load<ecs::Entity>(to.try_read(made[0], pool_of(to, "Box", "Box")) + offset), ecs::null_entity);
}

TEST(Pack, UnsavedComponentsAreLeftOut) {
  struct Local {
    int value = 3;
  };
  Place from(*boxes());
  const ecs::Entity entity = add_box(from, 4);
  from.add_bytes(entity, pool_of(from, "Trail", "Trail"), core::Bytes(boxes()->find("Trail")->size));
  from.add<Local>(entity);
  Place to(*boxes());
  const Entities made = carried(from, *boxes(), {entity}, to);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(index::components(to, to.prototype(made[0])).size(), 1u);
}

TEST(Pack, AnOlderSchemaIsMigrated) {
  Place from(*boxes());
  const core::Result<core::Bytes> bytes = pack(from, *boxes(), Entities{add_box(from, 5)});
  const Schema newer =
      test::load_schema("struct Box (component) { colour:uint; weight:double (range:\"0 100\", step:\"0.5\"); }");
  Place to(*newer);
  const Entities made = unpacked(*bytes, *newer, to);
  ASSERT_EQ(made.size(), 1u);
  const std::uint32_t offset = newer->find("Box")->find_field("weight")->offset;
  EXPECT_EQ(core::load<double>(to.try_read(made[0], pool_of(to, "Box", "Box")) + offset), 5);
}

TEST(Pack, TheSameEntitiesAreTheSameBytes) {
  Place registry(*boxes());
  const Entities both{add_box(registry, 1), add_box(registry, 2)};
  EXPECT_EQ(*pack(registry, *boxes(), both), *pack(registry, *boxes(), both));
  EXPECT_NE(*pack(registry, *boxes(), both), *pack(registry, *boxes(), Entities{both[1], both[0]}));
}

TEST(Pack, NothingIsAResourceToo) {
  Place registry(*boxes());
  EXPECT_EQ(unpacked(*pack(registry, *boxes(), {}), *boxes(), registry), Entities{});
}

TEST(Pack, TooManyKindsOfComponentsAreNamed) {
  Place registry(*boxes());
  Entities entities;
  for (std::size_t i = 0; i <= pack_columns_max; ++i)
    entities.push_back(add_box(registry, 1, {}, "box " + std::to_string(i)));
  EXPECT_TRUE(pack(registry, *boxes(), std::span(entities).first(pack_columns_max)));
  const core::Result<core::Bytes> refused = pack(registry, *boxes(), entities);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "a pack of 257 kinds of components; the maximum is 256: pack fewer entities");
}

TEST(Pack, TooManyEntitiesAreNamed) {
  Place registry(*boxes());
  const core::Result<core::Bytes> refused = pack(registry, *boxes(), Entities((1 << 20) + 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_STREQ(refused.error().reason, "too large");
  EXPECT_EQ(refused.error().message, "a pack of 1048577 entities; the maximum is 1048576: pack fewer entities");
}

}  // namespace
}  // namespace mobula::resource::pack_test

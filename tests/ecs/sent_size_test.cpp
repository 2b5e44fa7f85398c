// Components of an entity that clients could not receive are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mobula/ecs/commands.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <string>

namespace mobula::ecs {
namespace {

constexpr std::uint32_t half = SentSize::bits_max / 2;

// A registry with a component type of that size.
struct SizedWorld : Registry {
  explicit SizedWorld(std::uint32_t sent_bits_max) {
    static_cast<void>(register_type({.id = core::StringId32("Cargo"),
                                     .name = "Cargo",
                                     .size = 4,
                                     .alignment = 4,
                                     .schema = true,
                                     .sent_bits_max = sent_bits_max,
                                     .default_value = core::Bytes(4)}));
  }
  PoolId cargo(const std::string& name) { return *open_pool(core::StringId32("Cargo"), name); }
};

TEST(SentSize, AnEntityMayHaveExactlyTheLimit) {
  SizedWorld world(half);
  const Entity entity = world.create();
  world.add_bytes(entity, world.cargo("a"));
  world.add_bytes(entity, world.cargo("b"));
  world.check();
}

TEST(SentSizeDeathTest, AnAddBeyondTheLimitNamesEntityAndSizes) {
  SizedWorld world(half);
  const Entity entity = world.create();
  world.add_bytes(entity, world.cargo("a"));
  world.add_bytes(entity, world.cargo("b"));
  const PoolId more = world.cargo("c");
  constexpr const char* message =
      "adding c to entity 0.1, which would have 3 components to send, of at most 24576 bytes; an entity has at most "
      "256 "
      "components and 16384 bytes to send";
  EXPECT_DEATH(world.add_bytes(entity, more), message);
  EXPECT_DEATH(world.make_room(entity, more), message);
}

TEST(SentSizeDeathTest, MoreComponentsThanTheLimitAreRefused) {
  SizedWorld world(1);
  const Entity entity = world.create();
  for (int i = 0; i < 256; ++i) world.add_bytes(entity, world.cargo("c" + std::to_string(i)));
  const PoolId more = world.cargo("one more");
  EXPECT_DEATH(world.add_bytes(entity, more), "257 components to send");
}

TEST(SentSize, ComponentsThatAreNotSentDoNotCount) {
  SizedWorld world(0);
  const Entity entity = world.create();
  for (int i = 0; i < 300; ++i) world.add_bytes(entity, world.cargo("c" + std::to_string(i)));
  const std::span<const PoolId> pools = world.prototypes().pools(world.prototype(entity));
  EXPECT_EQ(pools.size(), 300u);
  EXPECT_EQ(world.prototypes().sent_size(pools).components, 0u);
}

TEST(SentSize, ARemovedComponentMakesRoom) {
  SizedWorld world(half);
  const Entity entity = world.create();
  world.add_bytes(entity, world.cargo("a"));
  world.add_bytes(entity, world.cargo("b"));
  world.remove(entity, world.cargo("a"));
  world.add_bytes(entity, world.cargo("c"));
  EXPECT_EQ(world.prototypes().sent_size(world.prototypes().pools(world.prototype(entity))).bits, 2 * half);
}

TEST(SentSize, ASnapshotOfATooLargeEntityIsRefused) {
  SizedWorld saved(half / 2);
  saved.create();
  for (int i = 0; i < 2; ++i) {
    const Entity entity = saved.create();
    for (const char* name : {"a", "b", "c"}) saved.add_bytes(entity, saved.cargo(name));
  }
  SizedWorld loaded(half);  // the schema has grown since
  core::Bytes bytes;
  save_snapshot(saved, bytes);
  const core::Status status = load_snapshot(bytes, loaded);
  ASSERT_FALSE(status.ok());
  EXPECT_STREQ(status.error().reason, "too large");
  EXPECT_THAT(status.error().message,
              testing::HasSubstr("entity 1.1 and 1 more like it have 3 components to send, of"));
  EXPECT_THAT(status.error().message,
              testing::HasSubstr("the largest of which is a; an entity may have 256, of 16384 bytes"));
  EXPECT_EQ(loaded.entities().size(), 0u);
}

}  // namespace
}  // namespace mobula::ecs

#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <set>

namespace mobula::index {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;  // type, instance

core::StringId32 id(std::string_view text) { return core::StringId32(text); }

std::vector<ComponentRef> sorted(const Names& names) {
  std::vector<ComponentRef> refs;
  for (const auto& [type, instance] : names) refs.push_back({id(type), id(instance)});
  std::sort(refs.begin(), refs.end());
  return refs;
}

// A registry whose pools are opened in the order of `names`, and an entity with all of them, added in that order.
struct World {
  ecs::Registry registry;
  ecs::Entity entity;

  explicit World(const Names& names) {
    for (const auto& [type, instance] : names) {
      if (registry.find_type(id(type)) != nullptr) continue;
      EXPECT_TRUE(registry.register_type(
          {.id = id(type), .name = type, .size = 4, .alignment = 4, .schema = true, .default_value = core::Bytes(4)}));
    }
    entity = registry.create();
    for (const auto& [type, instance] : names) registry.add_bytes(entity, *registry.open_pool(id(type), instance));
  }
  [[nodiscard]] std::uint64_t hash() const { return prototype_hash(components(registry, registry.prototype(entity))); }
};

const Names crate{{"Transform", "Transform"}, {"RenderData", "Body"}, {"RenderData", "Fog"}, {"Health", "Health"}};

// Golden: servers and clients of different builds compare these.
TEST(PrototypeHash, HasGoldenValues) {
  EXPECT_EQ(prototype_hash({}), 0x2d06800538d394c2ull) << "XXH3 of nothing";
  EXPECT_EQ(prototype_hash(sorted({{"Transform", "Transform"}})), 0x277060057edd244dull);
  EXPECT_EQ(prototype_hash(sorted(crate)), 0x8bbfd2070af8d742ull);
}

TEST(PrototypeHash, IsIndependentOfTheOrderOfComponentsAndPools) {
  Names names = crate;
  std::sort(names.begin(), names.end());
  const std::uint64_t expected = prototype_hash(sorted(names));
  do {
    const World world(names);
    EXPECT_EQ(components(world.registry, world.registry.prototype(world.entity)), sorted(names));
    EXPECT_EQ(world.hash(), expected);
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST(PrototypeHash, IgnoresRemovedComponents) {
  World world(crate);
  world.registry.remove(world.entity, *world.registry.open_pool(id("RenderData"), "Fog"));
  EXPECT_EQ(world.hash(), prototype_hash(sorted({crate[0], crate[1], crate[3]})));
  EXPECT_EQ(prototype_hash(components(world.registry, ecs::empty_prototype)), prototype_hash({}));
}

TEST(PrototypeHash, DiffersForEveryOtherSetOfComponents) {
  const std::vector<ComponentRef> all = sorted(crate);
  std::set<std::uint64_t> hashes;
  for (unsigned subset = 0; subset < 16; ++subset) {
    std::vector<ComponentRef> some;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((subset >> i & 1) != 0) some.push_back(all[i]);
    EXPECT_TRUE(hashes.insert(prototype_hash(some)).second) << subset;
  }
  std::vector<ComponentRef> swapped = all;
  std::swap(swapped[0].type, swapped[0].instance);
  EXPECT_TRUE(hashes.insert(prototype_hash(swapped)).second) << "type and instance are not the same";
}

TEST(PrototypeHash, IgnoresServerOnlyComponents) {
  struct Thought {
    int content = 0;
  };
  World world(crate);
  const std::uint64_t before = world.hash();
  world.registry.add<Thought>(world.entity);
  EXPECT_EQ(world.hash(), before);
}

}  // namespace
}  // namespace mobula::index

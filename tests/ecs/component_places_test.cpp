#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/component_places.hpp>
#include <mobula/ecs/registry.hpp>
#include <seeds.hpp>
#include <vector>

namespace mobula::ecs::component_places_test {
namespace {

struct Mark {
  std::uint32_t index;
};

// Components of random entities are found after others of their pool were added, removed and moved.
TEST(ComponentPlaces, FindsComponentsThatMove) {
  mobula::test::for_each_seed(1, 4, 200, [](std::uint64_t seed) {
    core::Random random(seed);
    Registry registry;
    const PoolId id = registry.pool_of<Mark>();
    ComponentPlaces places(seed % 2 == 0 ? SparseSet::no_pages : PoolConfig{}.sparse_page_shift);
    std::vector<Entity> alive;
    for (int step = 0; step < 200; ++step) {
      if (alive.empty() || random.chance(2, 3)) {
        alive.push_back(registry.create());
        registry.add<Mark>(alive.back()).index = alive.back().index;
        if (random.chance(1, 2)) places.push(alive.back().index);
      } else {
        Entity& entity = alive[random.below(static_cast<std::uint32_t>(alive.size()))];
        if (places.contains(entity.index)) places.erase(places.find(entity.index));
        registry.destroy(entity);
        entity = alive.back();
        alive.pop_back();
      }
      places.update(registry.pool(id));
      for (std::uint32_t entry = 0; entry < places.size(); ++entry) {
        ASSERT_EQ(reinterpret_cast<const Mark*>(places.components()[entry])->index, places.index(entry));
        ASSERT_EQ(registry.pool(id).find(places.index(entry)), places.positions()[entry]);
        ASSERT_EQ(places.find(places.index(entry)), entry);
      }
    }
  });
}

}  // namespace
}  // namespace mobula::ecs::component_places_test

#include <gtest/gtest.h>

#include <mobula/client/prediction/tracked_pool.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::client::tracked_pool_test {
namespace {

struct Ship {
  float position = 0;  // predicted
  float fuel = 0;      // predicted, owner_only
  float paint = 0;
  float wear = 0;  // not_sent
  float heat = 0;  // predicted
};

struct Wind {
  float force = 0;
  float own = 0;  // owner_only
  float hidden = 0;
};

class Tracked : public testing::Test {
 protected:
  static std::shared_ptr<const reflect::Schema> make_schema() {
    return test::load_schema(R"(
      struct Ship (component) { position:float (predicted); fuel:float (predicted, owner_only); paint:float;
        wear:float (not_sent); heat:float (predicted); }
      struct Wind (component) { force:float; own:float (owner_only); hidden:float (not_sent); })");
  }
  Tracked() : mirror(std::move(*Mirror::make(make_schema(), 1000))) {
    EXPECT_TRUE(reflect::register_components(registry, mirror->schema()).ok());
    codec.emplace(*mirror->schema().find("Ship"));
    ships.emplace(*mirror, registry, pool_of("Ship"), &*codec);
    winds.emplace(*mirror, registry, pool_of("Wind"), nullptr);
  }
  ecs::PoolId pool_of(std::string_view name) {
    return registry.find_pool(core::StringId32(name), core::StringId32(name));
  }
  template <class T>
  static const std::byte* bytes(const T& value) {
    return reinterpret_cast<const std::byte*>(&value);
  }
  // Adds an entity to the mirror and to the own registry, with the same values.
  ecs::Entity add(std::uint32_t index, const Ship& ship) {
    const ecs::Entity entity{index, 1};
    for (ecs::Registry* const all : {&registry, &mirror->registry()}) {
      all->create_given(entity);
      all->add_bytes(entity, all->find_pool(core::StringId32("Ship"), core::StringId32("Ship")),
                     {bytes(ship), sizeof(Ship)});
    }
    return entity;
  }

  std::unique_ptr<Mirror> mirror;
  ecs::Registry registry{{.entities = {.recycling = ecs::Recycling::given, .entities_max = 2000}, .pools = {}}};
  std::optional<wire::RowCodec> codec;
  std::optional<TrackedPool> ships;
  std::optional<TrackedPool> winds;
};

TEST_F(Tracked, ComparesPredictedFieldsThatTheClientReceives) {
  const Ship ship{1, 2, 3, 4, 5};
  for (const bool owner : {false, true}) {
    EXPECT_TRUE(ships->is_equal(bytes(ship), bytes(ship), owner));
    EXPECT_FALSE(ships->is_equal(bytes(ship), bytes(Ship{9, 2, 3, 4, 5}), owner));
    EXPECT_FALSE(ships->is_equal(bytes(ship), bytes(Ship{1, 2, 3, 4, 9}), owner));
    EXPECT_TRUE(ships->is_equal(bytes(ship), bytes(Ship{1, 2, 9, 9, 5}), owner));
    EXPECT_EQ(ships->is_equal(bytes(ship), bytes(Ship{1, 9, 3, 4, 5}), owner), !owner);
  }
}

TEST_F(Tracked, ComparesAllOfAComponentThatIsOnlyRead) {
  const Wind wind{1, 2, 3};
  EXPECT_FALSE(winds->is_equal(bytes(wind), bytes(Wind{9, 2, 3}), false));
  EXPECT_TRUE(winds->is_equal(bytes(wind), bytes(Wind{1, 9, 9}), false));
  EXPECT_FALSE(winds->is_equal(bytes(wind), bytes(Wind{1, 9, 3}), true));
}

TEST_F(Tracked, TakesWhatIsSentAndKeepsTheRest) {
  const Ship truth{11, 12, 13, 14, 15};
  Ship ship{1, 2, 3, 4, 5};
  ships->copy_row(bytes(truth), false, reinterpret_cast<std::byte*>(&ship));
  EXPECT_EQ(std::memcmp(&ship, bytes(Ship{11, 2, 13, 4, 15}), sizeof(Ship)), 0);
  ships->copy_row(bytes(truth), true, reinterpret_cast<std::byte*>(&ship));
  EXPECT_EQ(std::memcmp(&ship, bytes(Ship{11, 12, 13, 4, 15}), sizeof(Ship)), 0);
}

// Rows that differ at random places, while the mirror's pool changes its order.
TEST_F(Tracked, FindsTheFirstDifferenceLikeALinearSearch) {
  test::for_each_seed(1, 10, 200, [&](std::uint64_t seed) {
    core::Random random(seed);
    std::vector<ecs::Entity> all;
    for (const std::uint32_t index : ships->own().indices()) all.push_back({index, 1});
    while (all.size() < 100) {
      const auto index = 7 * static_cast<std::uint32_t>(all.size());
      all.push_back(add(index, {static_cast<float>(index), 0, 0, 0, 1}));
    }
    ships->set_members();
    ecs::Registry& theirs = mirror->registry();
    const ecs::PoolId pool = ships->mirror_id();
    for (int i = 0; i < 200; ++i) {
      std::vector<Ship> rows;
      for (const ecs::Entity entity : all) rows.push_back(core::load<Ship>(theirs.try_read(entity, pool)));
      std::uint32_t expected = 100;
      for (std::uint32_t k = random.below(4); k-- > 0;) {
        const std::uint32_t place = random.below(100);
        (random.chance(1, 2) ? rows[place].position : rows[place].heat) += 1;
        rows[random.below(100)].paint += 1;  // is not compared
        expected = std::min(expected, place);
      }
      ASSERT_EQ(ships->first_difference(bytes(rows[0]), 100), expected);
      const ecs::Entity moved = all[random.below(100)];
      const core::Bytes value(theirs.try_read(moved, pool), theirs.try_read(moved, pool) + sizeof(Ship));
      theirs.remove(moved, pool);
      theirs.add_bytes(moved, pool, value);
    }
  });
}

}  // namespace
}  // namespace mobula::client::tracked_pool_test

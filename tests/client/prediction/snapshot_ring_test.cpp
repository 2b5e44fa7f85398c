#include <gtest/gtest.h>

#include <court/components.hpp>
#include <map>
#include <mobula/client/prediction/snapshot_ring.hpp>
#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <seeds.hpp>

namespace mobula::client::snapshot_ring_test {
namespace {

using court::Body;
using court::Stone;

constexpr std::uint32_t local_first = 1000;
constexpr std::uint32_t member_distance = 7;  // between their indices

// Members with bodies, half of them with a Stone, and local entities.
class Fixture {
 public:
  explicit Fixture(std::uint32_t members = 100, std::size_t ticks = 8) {
    const auto schema = reflect::Schema::load(court::schema_bytes());
    EXPECT_TRUE(reflect::register_components(registry, **schema).ok());
    for (std::uint32_t i = 0; i < members; ++i) {
      const ecs::Entity entity{i * member_distance + 1, 1};
      registry.create_given(entity);
      registry.add<Body>(entity);
      if (i % 2 == 0) registry.add<Stone>(entity);
      stepped.alive.push_back(entity);
    }
    stepped.next_local = {local_first, 1};
    const std::array pools{registry.pool_of<Body>(), registry.pool_of<Stone>()};
    ring.emplace(registry, pools, ticks);
  }
  void spawn() {
    const ecs::Entity entity = stepped.next_local;
    registry.create_given(entity);
    registry.add<Body>(entity);
    registry.add<Stone>(entity).left = 9;
    ++stepped.next_local.index;
    stepped.alive.push_back(entity);
  }
  // All that a step can see.
  [[nodiscard]] std::map<std::uint32_t, std::pair<Body, int>> state() {
    std::map<std::uint32_t, std::pair<Body, int>> all;
    for (const ecs::Entity entity : stepped.alive) {
      const Stone* const stone = registry.try_get<const Stone>(entity);
      all[entity.index] = {registry.get<const Body>(entity), stone == nullptr ? -1 : stone->left};
    }
    return all;
  }

  ecs::Registry registry{{.entities = {.recycling = ecs::Recycling::given, .entities_max = 4000}, .pools = {}}};
  prediction::SteppedEntities stepped;
  std::optional<SnapshotRing> ring;
};

TEST(SnapshotRing, RestoresValues) {
  Fixture fixture;
  const ecs::Entity entity = fixture.stepped.alive[3];
  fixture.registry.get<Body>(entity).position.x = 4;
  fixture.ring->save(7, fixture.stepped);
  const auto before = fixture.state();
  fixture.registry.get<Body>(entity).position.x = 5;
  EXPECT_NE(fixture.state(), before);
  fixture.ring->restore(7, fixture.stepped);
  EXPECT_EQ(fixture.state(), before);
}

TEST(SnapshotRing, EndsWhatWasSpawnedSince) {
  Fixture fixture;
  fixture.spawn();
  fixture.ring->save(7, fixture.stepped);
  fixture.spawn();
  fixture.spawn();
  fixture.ring->restore(7, fixture.stepped);
  EXPECT_EQ(fixture.stepped.next_local, (ecs::Entity{local_first + 1, 1}));
  EXPECT_EQ(fixture.registry.entities().size(), 101u);
  fixture.spawn();  // the handle is free again
  EXPECT_EQ(fixture.stepped.alive.back(), (ecs::Entity{local_first + 1, 1}));
}

TEST(SnapshotRing, RevivesWhatWasDestroyedSince) {
  Fixture fixture;
  fixture.ring->save(7, fixture.stepped);
  const auto before = fixture.state();
  fixture.stepped.alive.erase(fixture.stepped.alive.begin() + 5);
  fixture.ring->restore(7, fixture.stepped);
  EXPECT_EQ(fixture.state(), before);
}

TEST(SnapshotRing, KeepsTheNewestTicks) {
  Fixture fixture(3, 4);
  for (ecs::Tick tick = 1; tick <= 9; ++tick) fixture.ring->save(tick, fixture.stepped);
  for (ecs::Tick tick = 1; tick <= 9; ++tick) EXPECT_EQ(fixture.ring->has(tick), tick >= 6) << tick;
  fixture.ring->clear();
  EXPECT_FALSE(fixture.ring->has(9));
}

TEST(SnapshotRing, FindsTheRowsOfAPool) {
  Fixture fixture(130);
  for (std::size_t i = 0; i < 130; ++i)
    fixture.registry.get<Body>(fixture.stepped.alive[i]).position.x = static_cast<float>(i);
  fixture.registry.get<Stone>(fixture.stepped.alive[128]).left = 77;
  fixture.ring->save(1, fixture.stepped);
  const SnapshotRing::Snapshot& snapshot = fixture.ring->snapshot(1);
  EXPECT_EQ(snapshot.counts, (std::vector<std::uint32_t>{130, 65}));
  EXPECT_EQ(core::load<Body>(fixture.ring->rows(snapshot, 0) + 129 * sizeof(Body)).position.x, 129);
  EXPECT_EQ(core::load<Stone>(fixture.ring->rows(snapshot, 1) + 64 * sizeof(Stone)).left, 77);
}

TEST(SnapshotRing, RearrangesSnapshotsToOtherPositions) {
  Fixture fixture(10);
  const std::vector<ecs::Entity> members = fixture.stepped.alive;
  for (std::size_t i = 0; i < 10; ++i) fixture.registry.get<Body>(members[i]).position.x = static_cast<float>(i);
  fixture.ring->save(4, fixture.stepped);
  fixture.spawn();
  const ecs::Entity local = fixture.stepped.alive.back();
  fixture.registry.get<Body>(local).position.x = 55;
  fixture.ring->save(5, fixture.stepped);
  fixture.ring->save(6, fixture.stepped);
  fixture.ring->begin_change();
  // Three members remain in another order, and the local entity continues as another one.
  for (const ecs::Entity each : fixture.stepped.alive) fixture.registry.destroy(each);
  const ecs::Entity real{500, 3};
  const std::array now{real, members[7], members[2], members[4]};
  for (const ecs::Entity each : now) {
    fixture.registry.create_given(each);
    fixture.registry.add<Body>(each);
  }
  const std::array renamed{RenamedEntity{local, real}};
  fixture.ring->end_change(4, 6, renamed);
  EXPECT_FALSE(fixture.ring->has(6));
  const auto x_of = [&](ecs::Tick tick, std::size_t position) {
    const SnapshotRing::Snapshot& snapshot = fixture.ring->snapshot(tick);
    return core::load<Body>(fixture.ring->rows(snapshot, 0) + position * sizeof(Body)).position.x;
  };
  for (const ecs::Tick tick : {4u, 5u}) {
    EXPECT_EQ(fixture.ring->snapshot(tick).counts, (std::vector<std::uint32_t>{4, 0}));
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(x_of(tick, i), (std::array<float, 4>{0, 7, 2, 4})[i]);
    EXPECT_EQ(is_alive(fixture.ring->snapshot(tick).stepped, real), tick == 5);
    EXPECT_TRUE(is_alive(fixture.ring->snapshot(tick).stepped, members[7]));
    EXPECT_FALSE(is_alive(fixture.ring->snapshot(tick).stepped, members[0]));
  }
  EXPECT_EQ(x_of(5, 0), 55);
}

// Random ticks with writes, spawns and destructions, and restores of any tick in the ring, beside copies of the state.
TEST(SnapshotRing, RestoresAnyTickLikeACopy) {
  test::for_each_seed(1, 20, 400, [](std::uint64_t seed) {
    core::Random random(seed);
    constexpr ecs::Tick ticks = 12;
    Fixture fixture(random.below(local_first / member_distance), ticks);
    std::map<ecs::Tick, std::map<std::uint32_t, std::pair<Body, int>>> copies;
    ecs::Tick last = 1;
    fixture.ring->save(last, fixture.stepped);
    copies[last] = fixture.state();
    for (int i = 0; i < 400; ++i) {
      if (random.chance(1, 6)) {
        const ecs::Tick oldest = last >= ticks ? last - ticks + 1 : 1;
        last = oldest + random.below(last - oldest + 1);
        if (!fixture.ring->has(last)) continue;
        fixture.ring->restore(last, fixture.stepped);
        ASSERT_EQ(fixture.state(), copies[last]);
        fixture.registry.check();
      }
      for (const ecs::Entity entity : fixture.stepped.alive)
        if (random.chance(1, 3)) fixture.registry.get<Body>(entity).velocity.z = random.uniform(-9, 9);
      if (random.chance(1, 3)) fixture.spawn();
      if (!fixture.stepped.alive.empty() && random.chance(1, 5))
        fixture.stepped.alive.erase(fixture.stepped.alive.begin() +
                                    random.below(static_cast<std::uint32_t>(fixture.stepped.alive.size())));
      fixture.ring->save(++last, fixture.stepped);
      copies[last] = fixture.state();
    }
  });
}

}  // namespace
}  // namespace mobula::client::snapshot_ring_test

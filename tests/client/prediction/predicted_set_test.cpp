#include <gtest/gtest.h>

#include <court/components.hpp>
#include <mobula/client/prediction/predicted_set.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::client::predicted_set_test {
namespace {

constexpr std::uint32_t player = 3;
using court::Body;
using court::Crate;
using court::Surface;

constexpr ecs::Tick now = 20;

// A mirror whose entities a test makes, and a set beside it.
class Predicted : public testing::Test {
 protected:
  Predicted()
      : mirror(std::move(*Mirror::make(*reflect::Schema::load(court::schema_bytes()), 1000))),
        set(std::move(*PredictedSet::make(*mirror, rules, player))),
        ring(set->registry(), set->predicted_pools(), 8) {
    for (std::uint32_t i = 0; i < 50; ++i) add(1 + 5 * i);
  }
  void add(std::uint32_t index) {
    const ecs::Entity entity{index, 1};
    ecs::Registry& theirs = mirror->registry();
    theirs.create_given(entity);
    theirs.add(entity, Body{.position = {.x = static_cast<float>(index), .y = 0, .z = 0}, .velocity = {}});
    if (index % 2 == 0) theirs.add<Crate>(entity);
    theirs.add<Surface>(entity);
    all.push_back(entity);
  }
  void rebuild() {
    set->collect(all, commands, now);
    set->rebuild();
  }
  SetDifference compare() {
    ring.save(now, set->stepped());
    set->collect(all, commands, now);
    return set->compare(ring, ring.snapshot(now));
  }
  ecs::Entity spawn() {
    const ecs::Entity entity = set->stepped().next_local;
    set->registry().create_given(entity);
    set->registry().add<Body>(entity);
    set->registry().add(entity, engine::SpawnKey{.tick = now, .player = player, .command = 1, .ordinal = 0});
    ++set->stepped().next_local.index;
    set->stepped().alive.push_back(entity);
    return entity;
  }

  prediction::Rules rules{.step = [](prediction::PredictedWorld&, ecs::Tick, std::span<const prediction::Command>) {},
                          .reads = {"Surface"}};
  std::unique_ptr<Mirror> mirror;
  std::unique_ptr<PredictedSet> set;
  SnapshotRing ring;
  CommandTimeline commands;
  std::vector<ecs::Entity> all;
};

TEST_F(Predicted, TakesTheMirrorsEntitiesWithTheirValues) {
  rebuild();
  EXPECT_EQ(set->members().size(), 50u);
  for (const ecs::Entity entity : all) {
    EXPECT_TRUE(set->is_member(entity));
    EXPECT_EQ(set->registry().get<const Body>(entity), mirror->registry().get<const Body>(entity));
  }
  EXPECT_FALSE(compare().any());
  set->registry().check();
}

TEST_F(Predicted, LeavesOutWhatHasNothingToPredict) {
  const ecs::Entity bare{900, 1};
  mirror->registry().create_given(bare);
  mirror->registry().add<Surface>(bare);
  all.push_back(bare);
  all.push_back({901, 1});  // is not in the mirror
  all.push_back(all[0]);    // is there twice
  rebuild();
  EXPECT_EQ(set->members().size(), 50u);
}

TEST_F(Predicted, HasAtMostItsGreatestNumberOfMembers) {
  mirror = std::move(*Mirror::make(*reflect::Schema::load(court::schema_bytes()), 10'000));
  set = std::move(*PredictedSet::make(*mirror, rules, player));
  all.clear();
  for (std::uint32_t i = 0; i < PredictedSet::members_max + 9; ++i) add(i);
  rebuild();
  EXPECT_EQ(set->members().size(), PredictedSet::members_max);
  EXPECT_EQ(set->unpredicted(), 9u);
}

TEST_F(Predicted, KeepsTheFirstWantedEntitiesAtItsLimit) {
  mirror = std::move(*Mirror::make(*reflect::Schema::load(court::schema_bytes()), 10'000));
  set = std::move(*PredictedSet::make(*mirror, rules, player));
  all.clear();
  for (std::uint32_t i = 0; i < PredictedSet::members_max + 9; ++i) add(i);
  std::ranges::reverse(all);
  rebuild();
  EXPECT_TRUE(set->is_member({PredictedSet::members_max + 8, 1}));
  EXPECT_FALSE(set->is_member({8, 1}));
  all.resize(PredictedSet::members_max);
  rebuild();
  EXPECT_EQ(set->unpredicted(), 0u);
}

TEST(PredictedSet, LeavesOutEntitiesOfOthersWithFieldsForTheOwner) {
  const auto mirror = std::move(*Mirror::make(test::load_schema(R"(
    struct Ship (component) { position:float (predicted); fuel:float (predicted, owner_only); }
    struct Buoy (component) { position:float (predicted); name:int (owner_only); })"),
                                              1000));
  const prediction::Rules rules;
  const auto set = std::move(*PredictedSet::make(*mirror, rules, player));
  std::vector<ecs::Entity> wanted{{1, 1}, {2, 1}};
  for (const ecs::Entity entity : wanted) {
    const core::StringId32 name(entity.index == 1 ? "Ship" : "Buoy");
    mirror->registry().create_given(entity);
    mirror->registry().add_bytes(entity, mirror->registry().find_pool(name, name));
  }
  set->collect(wanted, {}, now);
  set->rebuild();
  EXPECT_FALSE(set->is_member({1, 1})) << "this client does not receive its fuel";
  EXPECT_TRUE(set->is_member({2, 1})) << "what it does not receive is not predicted";
  EXPECT_EQ(set->unpredicted(), 1u);
}

TEST_F(Predicted, NamesTheFirstOtherValue) {
  rebuild();
  set->registry().get<Body>(all[7]).velocity.y = 1;
  const SetDifference difference = compare();
  EXPECT_TRUE(difference.values);
  EXPECT_FALSE(difference.members);
  EXPECT_EQ(difference.entity, all[7]);
  EXPECT_EQ(difference.pool, mirror->registry().pool_of<Body>());
  set->copy_values();
  EXPECT_FALSE(compare().any());
}

TEST_F(Predicted, NoticesOtherInputsOfTheRules) {
  rebuild();
  mirror->registry().get<Surface>(all[7]).friction = 0.5f;
  const SetDifference difference = compare();
  EXPECT_TRUE(difference.inputs);
  EXPECT_FALSE(difference.values);
  set->copy_values();
  EXPECT_FALSE(compare().any());
  EXPECT_EQ(set->registry().get<const Surface>(all[7]).friction, 0.5f);
}

TEST_F(Predicted, APredictedDestructionOfALivingEntityDiffers) {
  rebuild();
  set->stepped().alive.erase(set->stepped().alive.begin() + 3);
  const SetDifference difference = compare();
  EXPECT_TRUE(difference.values);
  EXPECT_EQ(difference.entity, all[3]);
  set->copy_values();
  EXPECT_FALSE(compare().any());
}

TEST_F(Predicted, ADestructionOnBothSidesIsNoMisprediction) {
  rebuild();
  set->stepped().alive.erase(set->stepped().alive.begin() + 3);
  mirror->registry().destroy(all[3]);
  const SetDifference difference = compare();
  EXPECT_FALSE(difference.values);
  EXPECT_TRUE(difference.members);
  set->rebuild();
  EXPECT_EQ(set->members().size(), 49u);
  EXPECT_FALSE(compare().any());
}

TEST_F(Predicted, AnUnforeseenEndDiffers) {
  rebuild();
  mirror->registry().destroy(all[3]);
  EXPECT_TRUE(compare().values);
}

TEST_F(Predicted, AnotherCompositionIsAnotherSet) {
  rebuild();
  mirror->registry().remove<Crate>(all[1]);
  const SetDifference difference = compare();
  EXPECT_TRUE(difference.members);
  EXPECT_FALSE(difference.values);
  set->rebuild();
  EXPECT_FALSE(set->registry().has<Crate>(all[1]));
  EXPECT_FALSE(compare().any());
}

TEST_F(Predicted, AnUnmatchedSpawnDiffersAndEnds) {
  rebuild();
  const ecs::Entity local = spawn();
  const SetDifference difference = compare();
  EXPECT_TRUE(difference.values && difference.members);
  EXPECT_EQ(difference.entity, local);
  set->rebuild();
  EXPECT_FALSE(set->registry().valid(local));
  EXPECT_GT(set->stepped().next_local.index, local.index);
  EXPECT_FALSE(compare().any());
  set->registry().check();
}

TEST_F(Predicted, ForgetsLocalEntitiesThatHaveEnded) {
  rebuild();
  for (std::uint32_t i = 0; i < PredictedSet::ended_locals_max; ++i) spawn();
  std::erase_if(set->stepped().alive, [&](ecs::Entity entity) { return set->is_local(entity); });
  EXPECT_FALSE(compare().any());
  spawn();
  set->stepped().alive.pop_back();
  const SetDifference found = compare();
  EXPECT_TRUE(found.members);
  EXPECT_FALSE(found.values);
  set->rebuild();
  EXPECT_EQ(set->registry().entities().size(), 50u);
  EXPECT_FALSE(compare().any());
}

TEST_F(Predicted, SnapsOnlyWhatIsWritten) {
  rebuild();
  set->registry().set_tick(5);
  set->registry().get<Body>(all[0]).velocity.x = 0.123456f;
  set->snap(4);
  EXPECT_FLOAT_EQ(set->registry().get<const Body>(all[0]).velocity.x, 0.12f);
  const_cast<Body&>(set->registry().get<const Body>(all[1])).velocity.x = 0.123456f;  // as no step does
  set->snap(5);
  EXPECT_EQ(set->registry().get<const Body>(all[1]).velocity.x, 0.123456f);
}

// Random changes on both sides: the comparison finds a difference exactly if one is there.
TEST_F(Predicted, ComparesLikeASearchOverAllValues) {
  test::for_each_seed(1, 10, 200, [&](std::uint64_t seed) {
    core::Random random(seed);
    rebuild();
    for (int i = 0; i < 200; ++i) {
      const ecs::Entity entity = all[random.below(50)];
      ecs::Registry& changed = random.chance(1, 2) ? set->registry() : mirror->registry();
      if (random.chance(1, 2)) changed.get<Body>(entity).position.z += 1;
      if (changed.has<Crate>(entity) && random.chance(1, 3)) ++changed.get<Crate>(entity).pushes;
      bool differs = false;
      for (const ecs::Entity each : all) {
        differs = differs || set->registry().get<const Body>(each) != mirror->registry().get<const Body>(each);
        if (set->registry().has<Crate>(each))
          differs = differs || set->registry().get<const Crate>(each) != mirror->registry().get<const Crate>(each);
      }
      const SetDifference found = compare();
      ASSERT_EQ(found.values, differs);
      ASSERT_FALSE(found.members);
      if (random.chance(1, 3)) set->copy_values();
      if (random.chance(1, 9)) set->rebuild();
    }
  });
}

}  // namespace
}  // namespace mobula::client::predicted_set_test

// Entities that cross between worlds, compared with a reference model of all worlds: who has each entity, and where its
// ghosts are.
#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <set>
#include <string>

#include "ecs/entity_pool_image.hpp"
#include <seeds.hpp>

namespace mobula::ecs::entity_pool_guests_test {
namespace {

using test::same_bytes;
using test::Saved;

constexpr std::uint32_t indices_per_world = 40;
constexpr std::uint32_t worlds = 3;

EntityPoolConfig config_of(std::uint32_t world, std::uint32_t incarnation = 1) {
  return {.incarnation = incarnation,
          .reuse_bits = 4,
          .entities_max = worlds * indices_per_world,
          .own = {.first = world * indices_per_world, .end = (world + 1) * indices_per_world}};
}

TEST(EntityPoolGuests, EachWorldCreatesAtIndicesOfItsOwn) {
  EntityPool pool(config_of(1));
  for (std::uint32_t i = 0; i < indices_per_world; ++i) EXPECT_EQ(pool.create(), (Entity{40 + i, 17}));
  EXPECT_EQ(pool.create(), null_entity);
  EXPECT_EQ(pool.create_range(1).generation, 0u);
  EXPECT_FALSE(pool.valid({3, 17}));
  pool.check();
}

TEST(EntityPoolGuests, AGuestAboveDoesNotUseUpOwnIndices) {
  EntityPool pool(config_of(0));
  ASSERT_TRUE(pool.receive({100, 5}, false));
  EXPECT_EQ(pool.create(), (Entity{0, 17}));
  EXPECT_EQ(pool.create_range(4).first, 1u);
  std::vector<Entity> rest(35);
  ASSERT_TRUE(pool.create(rest));
  EXPECT_EQ(rest.back(), (Entity{39, 17}));
  EXPECT_FALSE(pool.create(std::span(rest).first(1)));
  pool.check();
}

TEST(EntityPoolGuests, OnlyAnEntityThatIsAbroadReturns) {
  EntityPool pool(config_of(0));
  const Entity entity = pool.create();
  EXPECT_FALSE(pool.receive(entity, false)) << "alive";
  EXPECT_FALSE(pool.receive({1, 17}, false)) << "never created";
  EXPECT_FALSE(pool.receive({200, 17}, false)) << "beyond entities_max";
  EXPECT_FALSE(pool.receive(null_entity, false));
  pool.set_ghost(entity, true);
  EXPECT_TRUE(pool.is_ghost(entity));
  pool.destroy(entity);
  EXPECT_FALSE(pool.valid(entity));
  EXPECT_TRUE(pool.is_abroad(entity));
  EXPECT_FALSE(pool.receive({0, 18}, false)) << "another generation";
  EXPECT_FALSE(pool.end_abroad({0, 18}));
  EXPECT_TRUE(pool.receive(entity, false));
  EXPECT_FALSE(pool.is_ghost(entity));
  EXPECT_FALSE(pool.end_abroad(entity)) << "it is here";
  pool.check();
}

TEST(EntityPoolGuests, ARangeIsNotReusedWhileAnEntityOfItIsAbroad) {
  EntityPool pool(config_of(0));
  const EntityRange range = pool.create_range(3);
  pool.set_ghost(range.at(1), true);
  pool.destroy_range(range);
  EXPECT_TRUE(pool.is_abroad(range.at(1)));
  EXPECT_EQ(pool.size(), 0u);
  pool.check();
  EXPECT_NE(pool.create_range(3).first, range.first);
  ASSERT_TRUE(pool.receive(range.at(1), false));
  pool.destroy(range.at(1));
  EXPECT_EQ(pool.create_range(3), (EntityRange{range.first, 3, range.generation + 1}));
  pool.check();
}

TEST(EntityPoolGuests, AnImageOfAnotherWorldIsRefused) {
  EntityPool pool(config_of(1));
  static_cast<void>(pool.create());
  const auto other = EntityPool::restore(config_of(2), Saved(pool).image(), 1);
  ASSERT_FALSE(other.ok());
  EXPECT_STREQ(other.error().reason, "other indices");
}

// Worlds of a cluster. The model knows of each entity which world has it, and which have a ghost.
class Worlds {
 public:
  explicit Worlds(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t world = 0; world < worlds; ++world) pools_.emplace_back(config_of(world));
  }

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      const std::uint32_t dice = random_.below(100);
      if (dice < 25) {
        create();
      } else if (dice < 30) {
        create_range();
      } else if (dice < 50) {
        cross();
      } else if (dice < 70) {
        add_ghost();
      } else if (dice < 85) {
        drop_ghost();
      } else if (dice < 98) {
        destroy();
      } else if (dice < 99) {
        random_.chance(1, 2) ? back_up() : restore_backup();
      } else {
        restart();
      }
      if (step % 64 == 0) compare();
    }
  }

  std::size_t crossings = 0;
  std::size_t returns = 0;
  std::size_t unknown = 0;  // entities elsewhere that a restored world is older than

 private:
  struct Place {
    std::uint32_t owner = 0;
    std::set<std::uint32_t> ghosts{};
  };

  std::uint32_t any_world() { return random_.below(worlds); }
  std::map<Entity, Place>::iterator any() {
    auto found = entities_.lower_bound({random_.below(worlds * indices_per_world), 0});
    return found == entities_.end() ? entities_.begin() : found;
  }
  void note(Entity entity, std::uint32_t world) {
    ASSERT_TRUE(ever_.insert(entity).second) << to_string(entity) << " exists again";
    for (const auto& [other, place] : entities_) ASSERT_NE(other.index, entity.index) << to_string(other);
    entities_[entity].owner = world;
  }
  void create() {
    const std::uint32_t world = any_world();
    if (const Entity entity = pools_[world].create()) note(entity, world);
  }
  void create_range() {
    const std::uint32_t world = any_world();
    const EntityRange range = pools_[world].create_range(1 + random_.below(3));
    for (std::uint32_t i = 0; i < (range.generation == 0 ? 0 : range.count); ++i) note(range.at(i), world);
  }
  void cross() {
    if (entities_.empty()) return;
    auto& [entity, place] = *any();
    const std::uint32_t target = any_world();
    if (target == place.owner) return;
    pools_[place.owner].set_ghost(entity, true);
    place.ghosts.insert(place.owner);
    if (place.ghosts.erase(target) > 0)
      pools_[target].set_ghost(entity, false);
    else
      ASSERT_TRUE(pools_[target].receive(entity, false));
    place.owner = target;
    for (auto& [world, backup] : backups_) backup.crossed.insert(entity);
    ++crossings;
    returns += pools_[target].is_own(entity.index) ? 1u : 0u;
  }
  void add_ghost() {
    if (entities_.empty()) return;
    auto& [entity, place] = *any();
    const std::uint32_t world = any_world();
    const bool fits = world != place.owner && !place.ghosts.contains(world);
    ASSERT_EQ(pools_[world].receive(entity, true), fits);
    if (fits) place.ghosts.insert(world);
  }
  void drop_ghost() {
    if (entities_.empty()) return;
    auto& [entity, place] = *any();
    if (place.ghosts.empty()) return;
    const std::uint32_t world = *place.ghosts.begin();
    pools_[world].destroy(entity);
    place.ghosts.erase(world);
  }
  // The entity's home learns of its end last.
  void destroy() {
    if (entities_.empty()) return;
    const auto found = any();
    const auto& [entity, place] = *found;
    pools_[place.owner].destroy(entity);
    for (const std::uint32_t world : place.ghosts) pools_[world].destroy(entity);
    const std::uint32_t home = entity.index / indices_per_world;
    ASSERT_EQ(pools_[home].end_abroad(entity), home != place.owner);
    entities_.erase(found);
  }
  void restart() {
    const std::uint32_t world = any_world();
    EntityPool& pool = pools_[world];
    auto same = EntityPool::restore(pool.config(), Saved(pool).image(), 1);
    ASSERT_TRUE(same.ok()) << same.error().message;
    ASSERT_TRUE(same_bytes(*same, pool));
    auto next = EntityPool::restore(config_of(world, pool.config().incarnation + 1), Saved(pool).image(), 1);
    ASSERT_TRUE(next.ok()) << next.error().message;
    pool = std::move(*next);
  }
  void back_up() {
    const std::uint32_t world = any_world();
    backups_.erase(world);
    backups_.emplace(world, Backup{Saved(pools_[world]), {}});
  }
  // A world goes back to a save. Records list the crossings since then, and the ends elsewhere.
  void restore_backup() {
    if (backups_.empty()) return;
    const std::uint32_t world = backups_.begin()->first;
    const Backup backup = std::move(backups_.begin()->second);
    backups_.erase(world);
    EntityPool& pool = pools_[world];
    auto older = EntityPool::restore(config_of(world, pool.config().incarnation + 1), backup.saved.image(), 1);
    ASSERT_TRUE(older.ok()) << older.error().message;
    pool = std::move(*older);
    for (const Entity entity : std::vector<Entity>(pool.begin(), pool.end()))
      if (pool.is_ghost(entity)) pool.destroy(entity);
    for (auto& [entity, place] : entities_) place.ghosts.erase(world);
    for (const Entity entity : std::vector<Entity>(pool.begin(), pool.end())) {
      const auto now = entities_.find(entity);
      const bool is_here = now != entities_.end() ? now->second.owner == world : pool.is_own(entity.index);
      if (is_here) continue;
      pool.set_ghost(entity, true);
      pool.destroy(entity);
    }
    for (const Entity entity : ever_)
      if (!entities_.contains(entity)) static_cast<void>(pool.end_abroad(entity));
    bring_up_to_date(world, backup.crossed);
  }
  void bring_up_to_date(std::uint32_t world, const std::set<Entity>& crossed) {
    EntityPool& pool = pools_[world];
    for (const auto& [entity, place] : std::map(entities_)) {
      const bool is_own = pool.is_own(entity.index);
      if (pool.valid(entity) || (place.owner != world && !is_own)) continue;
      if (is_own && place.owner == world && !crossed.contains(entity)) {  // created since the save, and lost
        for (const std::uint32_t other : place.ghosts) pools_[other].destroy(entity);
        entities_.erase(entity);
        continue;
      }
      if (is_own && !pool.is_abroad(entity)) {
        for (const Entity former : pool.former_of(entity)) pool.destroy(former);
        ASSERT_TRUE(pool.note_abroad(entity)) << to_string(entity);
        ++unknown;
      }
      if (place.owner == world) ASSERT_TRUE(pool.receive(entity, false));
    }
    for (const Entity entity : pool)  // those that ended since the save live again
      if (!entities_.contains(entity)) entities_[entity].owner = world;
  }
  void compare() {
    for (std::uint32_t world = 0; world < worlds; ++world) {
      const EntityPool& pool = pools_[world];
      pool.check();
      std::vector<Entity> living;
      std::uint32_t abroad = 0;
      for (const auto& [entity, place] : entities_) {
        const bool ghost = place.ghosts.contains(world);
        if (ghost || place.owner == world) living.push_back(entity);
        ASSERT_EQ(pool.is_ghost(entity), ghost);
        ASSERT_EQ(pool.is_abroad(entity), pool.is_own(entity.index) && !ghost && place.owner != world);
        abroad += pool.is_abroad(entity) ? 1u : 0u;
      }
      ASSERT_EQ(std::vector<Entity>(pool.begin(), pool.end()), living);
      ASSERT_EQ(pool.size(), living.size());
      ASSERT_EQ(pool.abroad(), abroad);
    }
  }

  core::Random random_;
  std::vector<EntityPool> pools_;
  std::map<Entity, Place> entities_;
  std::set<Entity> ever_;
  struct Backup {
    Saved saved;
    std::set<Entity> crossed{};  // since then
  };
  std::map<std::uint32_t, Backup> backups_;  // by world
};

TEST(EntityPoolGuests, HistoriesOfWorldsAgreeWithAReferenceModel) {
  for (std::uint64_t seed = 1; seed <= mobula::test::few_or_all(4, 40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Worlds all(seed);
    all.run(8000);
    EXPECT_GT(all.crossings, 500u);
    EXPECT_GT(all.returns, 100u);
    EXPECT_GT(all.unknown, 2u);
    if (HasFailure()) return;
  }
}

struct Damage {
  const char* name;
  void (*apply)(Saved& saved);
};

// Applied to an image with a guest at 2, own entities at 40 to 43, of which 41 is abroad, 42 is free and 43 is a ghost,
// and a guest at 90.
constexpr Damage damages[] = {
    {"a guest without a generation", [](Saved& s) { s.slots[2].generation = 0; }},
    {"a guest's prototype nobody has", [](Saved& s) { s.slots[2].state |= 1; }},
    {"a guest without its flag", [](Saved& s) { s.slots[2].state = 0; }},
    {"a free index below its own", [](Saved& s) { s.slots[3] = {17, 1u << 31 | 42}; }},
    {"a free index above its own", [](Saved& s) { s.slots[80] = {17, 1u << 31 | 42}; }},
    {"a list that leaves its own indices", [](Saved& s) { s.numbers.free_head = 3; }},
    {"an entity abroad of a used up generation", [](Saved& s) { s.slots[41].generation = 32; }},
    {"an entity abroad of the future", [](Saved& s) { s.slots[41].generation = 49; }},
    {"a ghost of the future", [](Saved& s) { s.slots[43].generation = 49; }},
    {"a ghost's prototype nobody has", [](Saved& s) { s.slots[43].state |= 1; }},
    {"an own entity beyond the last", [](Saved& s) { s.slots[44] = {17, 0}; }},
    {"a guest at an own index", [](Saved& s) { s.slots[44] = {17, 1u << 30}; }},
    {"an entity abroad that is a guest", [](Saved& s) { s.slots[90].state |= 1u << 31; }},
    {"the last own index below the first", [](Saved& s) { s.numbers.fresh = 39; }},
    {"the last own index above the last one", [](Saved& s) { s.numbers.fresh = 81; }},
    {"an entity less", [](Saved& s) { --s.numbers.fresh; }},
};

TEST(EntityPoolGuests, EveryKindOfDamageIsRefused) {
  EntityPool pool(config_of(1));
  std::vector<Entity> own(4);
  ASSERT_TRUE(pool.create(own));
  ASSERT_TRUE(pool.receive({2, 5}, true));
  ASSERT_TRUE(pool.receive({90, 5}, false));
  for (const std::size_t i : {1u, 3u}) pool.set_ghost(own[i], true);
  pool.destroy(own[1]);
  pool.destroy(own[2]);
  ASSERT_TRUE(EntityPool::restore(config_of(1), Saved(pool).image(), 1).ok());
  for (const auto& [name, apply] : damages) {
    Saved saved(pool);
    apply(saved);
    const auto restored = EntityPool::restore(config_of(1), saved.image(), 1);
    ASSERT_FALSE(restored.ok()) << name;
    EXPECT_STREQ(restored.error().reason, "damaged snapshot");
  }
}

TEST(EntityPoolGuests, AnEntityElsewhereIsAbroadOrAGhost) {
  EntityPool pool(config_of(1));
  const Entity own = pool.create();
  ASSERT_TRUE(pool.receive({2, 5}, true));
  EXPECT_FALSE(pool.elsewhere_at(own.index));
  EXPECT_FALSE(pool.elsewhere_at(2)) << "another world's";
  EXPECT_FALSE(pool.elsewhere_at(own.index + 1)) << "never used";
  pool.set_ghost(own, true);
  EXPECT_EQ(pool.elsewhere_at(own.index), own);
  pool.destroy(own);
  EXPECT_EQ(pool.elsewhere_at(own.index), own);
  ASSERT_TRUE(pool.end_abroad(own));
  EXPECT_FALSE(pool.elsewhere_at(own.index));
}

// A save has living entities, those that are abroad, and ranges.
TEST(EntityPoolGuests, ASaveOfLivingAndAbroadEntitiesIsRestored) {
  EntityPool pool(config_of(1));
  const EntityRange range = pool.create_range(3);
  const Entity stays = pool.create();
  const Entity leaves = pool.create();
  ASSERT_TRUE(pool.receive({100, 77}, false));
  for (const Entity entity : {leaves, range.at(2)}) {
    pool.set_ghost(entity, true);
    pool.destroy(entity);
  }
  pool.destroy(range.at(0));
  const std::vector<LivingEntity> living{{range.at(1), 0}, {stays, 0}, {{100, 77}, 0}};
  const std::vector<Entity> abroad{range.at(2), leaves};
  EntityPoolImageRoom room;
  const EntityPoolConfig config = config_of(1, 2);
  const auto image = EntityPool::image_of(config, living, abroad, std::array{range}, room);
  ASSERT_TRUE(image.ok());
  auto restored = EntityPool::restore(config, *image, 1);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  restored->check();
  EXPECT_EQ(restored->size(), 3u);
  EXPECT_TRUE(restored->valid(stays));
  EXPECT_TRUE(restored->valid({100, 77}));
  EXPECT_TRUE(restored->is_abroad(leaves));
  EXPECT_TRUE(restored->is_abroad(range.at(2)));
  EXPECT_EQ(restored->create(), (Entity{45, 33})) << "no index that is reserved";
}

// The pool is that of a save. Another process went on from it, created entities, and sent them to other worlds.
TEST(EntityPoolGuests, AnEntityAbroadThatTheSaveDoesNotKnow) {
  EntityPool pool(config_of(1, 2));
  std::vector<Entity> made(4);
  ASSERT_TRUE(pool.create(made));
  for (const Entity entity : {made[2], made[0], made[1]}) pool.destroy(entity);
  ASSERT_FALSE(pool.former_of({43, 34}).empty());
  EXPECT_TRUE(pool.may_note_abroad({43, 34}));
  EXPECT_FALSE(pool.note_abroad({43, 34})) << "a former one lives there";
  EXPECT_FALSE(pool.note_abroad({41, 32})) << "no generation is 0";
  EXPECT_FALSE(pool.note_abroad({41, 48})) << "of the next incarnation";
  EXPECT_FALSE(pool.note_abroad({3, 20})) << "another world's";
  EXPECT_FALSE(pool.note_abroad({80, 20})) << "another world's";
  EXPECT_FALSE(pool.may_note_abroad(made[3])) << "it lives";
  EXPECT_FALSE(pool.may_note_abroad({43, 20})) << "a later one lives";
  EXPECT_FALSE(pool.may_note_abroad(null_entity));
  for (const Entity entity : {Entity{41, 20}, Entity{42, 20}, Entity{46, 17}}) {
    EXPECT_TRUE(pool.note_abroad(entity)) << to_string(entity);
    EXPECT_FALSE(pool.note_abroad(entity)) << "twice";
    EXPECT_TRUE(pool.is_abroad(entity));
    pool.check();
  }
  EXPECT_EQ(pool.create().index, 40u);
  EXPECT_EQ(pool.create().index, 44u);
  EXPECT_EQ(pool.create().index, 45u);
  EXPECT_EQ(pool.create().index, 47u) << "no index that is reserved";
  ASSERT_TRUE(pool.end_abroad({42, 20}));
  EXPECT_EQ(pool.create().index, 42u);
  pool.check();
}

TEST(EntityPoolGuests, AnEntityAbroadOfARangeThatTheSaveHasFree) {
  EntityPool pool(config_of(1, 2));
  const std::array ranges{pool.create_range(3), pool.create_range(3), pool.create_range(3)};
  pool.destroy_range(ranges[0]);
  pool.destroy_range(ranges[1]);
  pool.destroy(ranges[2].at(0));
  const Entity later{ranges[1].at(1).index, 20};
  EXPECT_TRUE(pool.note_abroad(later));
  pool.check();
  EXPECT_EQ(pool.create_range(3).first, ranges[0].first);
  EXPECT_NE(pool.create_range(3).first, ranges[1].first) << "an entity of it is abroad";
  const Entity other{ranges[2].at(0).index, 34};
  EXPECT_FALSE(pool.note_abroad(other)) << "the range's other entities live";
  for (const Entity former : pool.former_of(other)) pool.destroy(former);
  EXPECT_TRUE(pool.note_abroad(other));
  EXPECT_FALSE(pool.may_note_abroad({other.index + 1, 35})) << "one of the range is abroad, of another generation";
  pool.check();
  ASSERT_TRUE(pool.end_abroad(later));
  EXPECT_EQ(pool.create_range(3).first, ranges[1].first);
  pool.check();
}

}  // namespace
}  // namespace mobula::ecs::entity_pool_guests_test

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using Words = std::vector<std::uint32_t>;

class PublishedTest : public testing::Test {
 protected:
  ecs::Tick publish() {
    world.publish();
    const ecs::Tick tick = registry.tick();
    world.end_tick();
    return tick;
  }
  Words now(ecs::Entity entity) {
    Words words(published.codecs().entity(published.entity(entity.index).prototype).words);
    published.words_now(entity.index, words.data());
    return words;
  }
  // Returns no words if they are not available.
  Words at(ecs::Entity entity, ecs::Tick tick) {
    Words words(published.codecs().entity(published.entity(entity.index).prototype).words);
    if (!published.words_at(entity.index, tick, words.data())) words.clear();
    return words;
  }

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
  Published& published = world.publisher.published();
};

// All states of every living entity since its last change of composition.
TEST(Published, FormerStatesAreThoseOfAReferenceHistory) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed);
    Published& published = world.publisher.published();
    test::PublishedHistory history;
    for (int i = 0; i < 80; ++i) {
      world.changes(world.random.below(20));
      history.note(published, world.publish(), world.registry.tick());
      published.check();
      ASSERT_EQ(published.size(), world.alive.size());
      for (const ecs::Entity entity : world.alive) {
        const PublishedEntity& told = published.entity(entity.index);
        ASSERT_EQ(told.entity, entity);
        Words words(published.codecs().entity(told.prototype).words);
        for (ecs::Tick tick = 1; tick <= world.registry.tick(); ++tick) {
          ASSERT_EQ(published.words_at(entity.index, tick, words.data()), tick >= told.structure_tick);
          if (tick < told.structure_tick) continue;
          ASSERT_EQ(words, *history.at(entity, tick)) << to_string(entity) << " at " << tick;
        }
      }
      world.end_tick();
    }
  }
}

TEST_F(PublishedTest, AnUpdateDiffersFromNoUpdate) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 4;
  publish();
  const ecs::PoolId pool = registry.pool_of<demo::Health>();
  demo::Health health = registry.get<demo::Health>(entity);
  const auto* bytes = reinterpret_cast<const std::byte*>(&health);
  EXPECT_FALSE(published.update(entity.index, pool, bytes, 2));
  health.current = 5;
  EXPECT_TRUE(published.update(entity.index, pool, bytes, 3));
  EXPECT_FALSE(published.update(entity.index, pool, bytes, 4));
  EXPECT_EQ(published.changed(entity.index, false), 3u);
  published.check();
}

TEST_F(PublishedTest, KnowsWhatTheLastChangesWereOf) {
  const ecs::Entity still = registry.create();
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  const ecs::Tick first = publish();
  EXPECT_EQ(published.last_change(), first);
  EXPECT_TRUE(published.changed_last(still.index));
  publish();  // nothing
  EXPECT_EQ(published.last_change(), first);
  registry.get<demo::Inventory>(entity).items[0] = 3;  // its owner's alone
  const ecs::Tick third = publish();
  EXPECT_EQ(published.last_change(), third);
  EXPECT_EQ(published.change_before(), first);
  EXPECT_TRUE(published.changed_last(entity.index));
  EXPECT_FALSE(published.changed_last(still.index));
  registry.destroy(still);
  const ecs::Tick fourth = publish();
  EXPECT_EQ(published.last_change(), fourth);
  EXPECT_EQ(published.change_before(), third);
  EXPECT_TRUE(published.changed_last(still.index));
  EXPECT_FALSE(published.changed_last(entity.index));
}

TEST_F(PublishedTest, OwnerOnlyChangesAreNoChangesForOthers) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  const ecs::Tick first = publish();
  const PublishedEntity before = published.entity(entity.index);
  const std::uint64_t all = published.hash();
  registry.get<demo::Inventory>(entity).items[0] = 3;
  const ecs::Tick second = publish();
  EXPECT_EQ(published.changed(entity.index, false), first);
  EXPECT_EQ(published.changed(entity.index, true), second);
  EXPECT_EQ(published.entity(entity.index).hash, before.hash);
  EXPECT_NE(published.entity(entity.index).owner_hash, before.owner_hash);
  EXPECT_EQ(published.hash(), all);
  published.check();
}

TEST_F(PublishedTest, TheHashKnowsHandlePrototypeInstanceAndValue) {
  const auto hash_of = [&](std::uint32_t index, auto&& make) {
    ecs::Entity entity;
    do entity = registry.create();
    while (entity.index < index);
    make(entity);
    publish();
    const std::uint64_t hash = published.entity(entity.index).hash;
    EXPECT_EQ(published.entity(entity.index).entity, entity);
    return hash;
  };
  const ecs::PoolId body = registry.pool_of<demo::RenderData>("Body");
  const ecs::PoolId fog = registry.pool_of<demo::RenderData>("Fog");
  const std::uint64_t hashes[] = {
      hash_of(0, [](ecs::Entity) {}),
      hash_of(1, [](ecs::Entity) {}),
      hash_of(2, [&](ecs::Entity entity) { registry.add_bytes(entity, body); }),
      hash_of(3, [&](ecs::Entity entity) { registry.add_bytes(entity, fog); }),
      hash_of(4, [&](ecs::Entity entity) { registry.add<demo::Health>(entity); }),
      hash_of(5, [&](ecs::Entity entity) { registry.add<demo::Health>(entity).current = 1; }),
  };
  EXPECT_EQ(std::set<std::uint64_t>(std::begin(hashes), std::end(hashes)).size(), std::size(hashes));
}

TEST_F(PublishedTest, ADestroyedEntityLeavesNothingButItsTick) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  registry.destroy(entity);
  const ecs::Tick gone = publish();
  EXPECT_FALSE(published.entity(entity.index).entity);
  EXPECT_EQ(published.hash(), 0u);
  EXPECT_EQ(published.size(), 0u);
  EXPECT_EQ(published.changed(entity.index, false), gone);
  published.erase(entity.index, gone + 1);
  published.erase(12345, gone + 1);
  EXPECT_EQ(published.changed(entity.index, false), gone) << "erasing nobody does nothing";
  published.check();
}

TEST_F(PublishedTest, ANewCompositionForgetsWhatWasBefore) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 3;
  const ecs::Tick first = publish();
  registry.add<demo::Team>(entity);
  const ecs::Tick second = publish();
  EXPECT_TRUE(at(entity, first).empty());
  EXPECT_EQ(at(entity, second), now(entity));
  registry.get<demo::Health>(entity).current = 4;
  publish();
  EXPECT_FALSE(at(entity, second).empty());
  EXPECT_NE(at(entity, second), now(entity));
}

TEST(Published, WithoutALogOnlyThePresentIsKnown) {
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *test::game_schema()).ok());
  Publisher publisher(registry, *test::game_schema(), 0);
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 3;
  publisher.publish();
  registry.clear_journal();
  registry.set_tick(2);
  registry.get<demo::Health>(entity).current = 4;
  publisher.publish();
  Words words(2);
  EXPECT_FALSE(publisher.published().words_at(entity.index, 1, words.data()));
  EXPECT_TRUE(publisher.published().words_at(entity.index, 2, words.data()));
}

// Bodies that start, stop, jump, lose the component and die.
class CountedBodies {
 public:
  explicit CountedBodies(std::uint64_t seed) : random_(seed) {
    static_cast<void>(reflect::register_components(registry, *schema_).value());
    pool = registry.find_pool(core::StringId32("Body"), core::StringId32("Body"));
  }
  // Changes the world, publishes it and updates the model.
  void tick() {
    if (bodies_.size() < 20) registry.add_bytes(bodies_.emplace_back(registry.create()), pool);
    change(bodies_[random_.below(static_cast<std::uint32_t>(bodies_.size()))]);
    for (const ecs::Entity body : bodies_)
      if (std::byte* at =
              registry.find(body, core::StringId32("Body")) == pool ? registry.try_write(body, pool) : nullptr)
        move(body, at);
    publisher.publish();
    recount();
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  void expect_counts() const {
    const std::span<const CourseStats> counts = publisher.published().course_stats(pool);
    ASSERT_EQ(counts.size(), model_.size());
    for (std::size_t unit = 0; unit < counts.size(); ++unit) {
      ASSERT_EQ(counts[unit].new_courses, model_[unit].new_courses) << "unit " << unit;
      ASSERT_EQ(counts[unit].under_way, model_[unit].under_way) << "unit " << unit;
      ASSERT_GE(counts[unit].checks + counts[unit].new_courses / settle_ticks, counts[unit].new_courses);
    }
  }

  ecs::Registry registry;
  ecs::PoolId pool = ecs::no_pool;

 private:
  const std::shared_ptr<const reflect::Schema> schema_ = test::load_schema(R"(
    struct Body (component) {
      at:mobula.engine.Vec3 (range:"-512 512", step:"0.01", dead_reckoning:"0.02");
      angle:float (range:"-8 8", step:"0.01", dead_reckoning:"0.02");
    }
  )");

 public:
  Publisher publisher{registry, *schema_};

 private:
  void change(ecs::Entity& body) {
    const std::uint32_t dice = random_.below(20);
    if (dice == 0) {
      registry.destroy(body);
      body = bodies_.back();
      bodies_.pop_back();
    } else if (dice == 1 && registry.try_read(body, pool) != nullptr) {
      registry.remove(body, pool);
    } else if (dice == 2 && registry.try_read(body, pool) == nullptr) {
      registry.add_bytes(body, pool);
    } else {
      velocities_[body] = random_.chance(1, 2) ? 0 : random_.uniform(-0.3f, 0.3f);
    }
  }
  void move(ecs::Entity body, std::byte* at) {
    auto values = core::load<std::array<float, 4>>(at);
    values[0] += velocities_[body];
    if (random_.chance(1, 50)) values[1] = random_.uniform(-500, 500);
    if (velocities_[body] > 0) values[3] += 0.002f;
    core::store(at, values);
  }
  void recount() {
    const Published& published = publisher.published();
    model_.resize(2);
    for (CourseStats& unit : model_) unit.under_way = 0;
    std::map<ecs::Entity, Words> words;
    for (const ecs::Entity body : bodies_) {
      const PublishedRow row = published.row(body, pool);
      ASSERT_EQ(row.words != nullptr, registry.try_read(body, pool) != nullptr);
      if (row.words == nullptr) continue;
      words[body] = Words(row.words, row.words + row.codec->words());
      for (std::size_t unit = 0; unit < 2; ++unit) count(row.codec->courses()[unit], body, words[body], model_[unit]);
    }
    words_ = std::move(words);
  }
  void count(const wire::CourseUnit& unit, ecs::Entity body, const Words& now, CourseStats& model) {
    model.under_way += wire::is_under_way(unit, now.data()) ? 1 : 0;
    const auto before = words_.find(body);
    if (before == words_.end()) return;
    bool differs = false;
    for (std::uint32_t i = 0; i < unit.parts; ++i) differs |= now[unit.first + i] != before->second[unit.first + i];
    for (std::uint32_t i = 0; i < unit.course_words(); ++i)
      differs |= now[unit.course + i] != before->second[unit.course + i];
    model.new_courses += differs ? 1 : 0;
  }

  core::Random random_;
  std::vector<ecs::Entity> bodies_;
  std::map<ecs::Entity, float> velocities_;
  std::map<ecs::Entity, Words> words_;  // in the tick before
  std::vector<CourseStats> model_;
};

TEST(Published, CountsOfCoursesEqualARecount) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CountedBodies bodies(seed);
    for (int tick = 0; tick < 400; ++tick) {
      bodies.tick();
      bodies.expect_counts();
      if (testing::Test::HasFatalFailure()) return;
    }
    const std::span<const CourseStats> counts = bodies.publisher.published().course_stats(bodies.pool);
    EXPECT_GT(counts[0].new_courses, 100u);
    EXPECT_GT(counts[1].new_courses, 10u);
  }
}

TEST(Published, APoolWithoutDeadReckoningCountsNoCourses) {
  test::RandomWorld world(1);
  world.changes(50);
  world.publish();
  EXPECT_TRUE(world.publisher.published().course_stats(world.registry.pool_of<demo::Health>()).empty());
  EXPECT_TRUE(world.publisher.published().course_stats(ecs::no_pool).empty());
}

#ifdef MOBULA_ASSERTS
TEST_F(PublishedTest, PlacingNoEntityIsAMistake) {
  EXPECT_DEATH(published.place(ecs::null_entity, ecs::empty_prototype, 1), "null_entity is not published");
}
#endif

}  // namespace
}  // namespace mobula::server

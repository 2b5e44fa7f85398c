#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/random_world.hpp>
#include <set>

namespace mobula::server::publisher_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PublisherTest : public testing::Test {
 protected:
  // Publishes, ends the tick, returns the indices that changed.
  std::vector<std::uint32_t> publish() {
    const std::span<const std::uint32_t> changed = world.publish();
    std::vector<std::uint32_t> result(changed.begin(), changed.end());
    world.end_tick();
    return result;
  }
  [[nodiscard]] const Published& published() const { return world.publisher.published(); }
  [[nodiscard]] ecs::Tick changed(ecs::Entity entity) const { return published().changed(entity.index, false); }

  test::RandomWorld world{1};
  ecs::Registry& registry = world.registry;
};

TEST_F(PublisherTest, ANewEntityIsPublishedWithItsComponents) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 7;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  const PublishedEntity& told = published().entity(entity.index);
  EXPECT_EQ(told.entity, entity);
  EXPECT_EQ(changed(entity), 1u);
  EXPECT_EQ(told.structure_tick, 1u);
  EXPECT_THAT(registry.prototypes().pools(told.prototype), ElementsAre(registry.pool_of<demo::Health>()));
  EXPECT_EQ(published().size(), 1u);
  EXPECT_THAT(publish(), IsEmpty());
}

TEST_F(PublisherTest, AWriteIsPublished) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  const ecs::Entity other = registry.create();
  registry.add<demo::Health>(other);
  publish();
  const std::uint64_t before = published().hash();
  registry.get<demo::Health>(other).current = 3;
  EXPECT_THAT(publish(), ElementsAre(other.index));
  EXPECT_NE(published().hash(), before);
  EXPECT_EQ(changed(other), 2u);
  EXPECT_EQ(published().entity(other.index).structure_tick, 1u);
  EXPECT_EQ(changed(entity), 1u);
}

// The server continues from the values that predicting clients have.
TEST(PublisherPrediction, MakesOfItWhatIsSent) {
  const auto schema = test::load_schema(
      "struct Guess (component) { ahead:float (range:\"0 1\", step:\"0.25\", predicted); "
      "own:float (range:\"0 1\", step:\"0.25\"); }");
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *schema).ok());
  Publisher publisher(registry, *schema);
  const ecs::PoolId pool = registry.find_pool(core::StringId32("Guess"), core::StringId32("Guess"));
  const ecs::Entity entity = registry.create();
  const float written[] = {0.6f, 0.6f};
  registry.add_bytes(entity, pool, core::as_bytes(written, 2));
  publisher.publish();
  const std::byte* const there = registry.try_read(entity, pool);
  EXPECT_EQ(core::load<float>(there), 0.5f);
  EXPECT_EQ(core::load<float>(there + 4), 0.6f) << "as the game has left it";
}

TEST(PublisherPrediction, TheRoundingOfANewValueIsNoMotion) {
  const auto schema = test::load_schema(
      "struct Guess (component) { ahead:float (range:\"0 1\", step:\"0.25\", predicted, dead_reckoning:\"0.25\"); }");
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *schema).ok());
  Publisher publisher(registry, *schema);
  const ecs::PoolId pool = registry.find_pool(core::StringId32("Guess"), core::StringId32("Guess"));
  const ecs::Entity entity = registry.create();
  const float written = 0.6f;
  registry.add_bytes(entity, pool, core::as_bytes(&written, 1));
  publisher.publish();
  EXPECT_EQ(core::load<float>(registry.try_read(entity, pool)), 0.5f);
  EXPECT_EQ(publisher.published().followed(pool)->size(), 0u);
}

TEST_F(PublisherTest, AWriteWithoutASentChangeIsNotPublished) {
  const ecs::Entity entity = registry.create();
  registry.add<engine::Transform>(entity).position.x = 1.0f;
  publish();
  registry.get<engine::Transform>(entity).position.x = 1.0f;
  EXPECT_THAT(publish(), IsEmpty());
  registry.get<engine::Transform>(entity).position.x = 1.001f;  // a tenth of a step
  EXPECT_THAT(publish(), IsEmpty());
  registry.get<engine::Transform>(entity).position.x = 1.01f;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
}

TEST_F(PublisherTest, AMoveInAPoolIsNotPublished) {
  const ecs::Entity first = registry.create();
  registry.add<demo::Health>(first);
  const ecs::Entity last = registry.create();
  registry.add<demo::Health>(last);
  publish();
  registry.destroy(first);  // the last component moves into the gap, which gets a new change tick
  EXPECT_THAT(publish(), ElementsAre(first.index));
  EXPECT_EQ(changed(last), 1u);
}

TEST_F(PublisherTest, AddingAndRemovingAComponentIsStructure) {
  const ecs::Entity entity = registry.create();
  publish();
  registry.add<demo::Health>(entity);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(published().entity(entity.index).structure_tick, 2u);
  registry.remove<demo::Health>(entity);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(published().entity(entity.index).structure_tick, 3u);
  EXPECT_EQ(published().entity(entity.index).prototype, ecs::empty_prototype);
}

TEST_F(PublisherTest, RemovingAndAddingPublishesTheNewValueOnly) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity).current = 1;
  publish();
  registry.remove<demo::Health>(entity);
  registry.add<demo::Health>(entity).current = 2;
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_EQ(published().entity(entity.index).structure_tick, 1u);
  EXPECT_EQ(changed(entity), 2u);
}

TEST_F(PublisherTest, TheOrderOfAddedComponentsDoesNotMatter) {
  const ecs::Entity a = registry.create();
  registry.add<demo::Health>(a);
  registry.add<demo::Team>(a);
  const ecs::Entity b = registry.create();
  registry.add<demo::Team>(b);
  registry.add<demo::Health>(b);
  publish();
  EXPECT_NE(registry.prototype(a), registry.prototype(b));
  EXPECT_EQ(published().entity(a.index).prototype, published().entity(b.index).prototype);
}

TEST_F(PublisherTest, ADestroyedEntityFreesItsIndex) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  registry.destroy(entity);
  ecs::Entity heir;
  do heir = registry.create();
  while (heir.index != entity.index);
  EXPECT_THAT(publish(), testing::Contains(entity.index));
  EXPECT_EQ(published().entity(entity.index).entity, heir);
  registry.destroy(heir);
  EXPECT_THAT(publish(), ElementsAre(entity.index));
  EXPECT_FALSE(published().entity(entity.index).entity);
}

TEST_F(PublisherTest, AnEntityOfLessThanATickIsNotPublished) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  registry.destroy(entity);
  publish();
  EXPECT_EQ(published().size(), 0u);
  EXPECT_EQ(published().hash(), 0u);
}

TEST_F(PublisherTest, ComponentsThatAreNotSentNeverAppear) {
  const ecs::Entity entity = registry.create();
  registry.add<demo::Health>(entity);
  publish();
  const std::uint64_t before = published().hash();
  registry.add<demo::Wander>(entity);
  struct Local {
    int value;
  };
  registry.add<Local>(entity);
  publish();
  EXPECT_EQ(published().hash(), before);
  EXPECT_EQ(changed(entity), 1u);
  EXPECT_EQ(published().entity(entity.index).prototype,
            registry.prototypes().intern(std::vector{registry.pool_of<demo::Health>()}));
  registry.get<demo::Wander>(entity).radius = 99;
  registry.get<Local>(entity).value = 99;
  EXPECT_THAT(publish(), IsEmpty());
}

// Encodes all living entities anew: their composition, and the words of each component that is sent.
struct ReferenceModel {
  struct Row {
    std::uint32_t type;
    std::uint32_t instance;
    std::vector<std::uint32_t> words;
    bool operator==(const Row&) const = default;
  };
  struct State {
    ecs::Entity entity;
    std::vector<Row> rows;
    bool operator==(const State&) const = default;
  };
  using States = std::map<std::uint32_t, State>;  // by index

  static States of(const test::RandomWorld& world) {
    States states;
    for (const ecs::Entity entity : world.alive) {
      State& state = states[entity.index];
      state.entity = entity;
      for (ecs::PoolId id = 0; id < world.registry.pool_count(); ++id) {
        const ecs::Pool& pool = world.registry.pool(id);
        const reflect::Component* component = world.schema->find(pool.type().id);
        if (!pool.contains(entity.index) || component == nullptr || component->not_sent) continue;
        const wire::RowCodec codec(*component);
        state.rows.push_back({pool.type().id.value, pool.instance().value, std::vector<std::uint32_t>(codec.words())});
        codec.to_words(world.registry.try_read(entity, id), state.rows.back().words.data());
      }
      // In the order of a canonical prototype.
      std::sort(state.rows.begin(), state.rows.end(), [](const Row& a, const Row& b) {
        return std::pair(a.type, a.instance) < std::pair(b.type, b.instance);
      });
    }
    return states;
  }
};

// Returns the published state in the same form.
ReferenceModel::States published_states(test::RandomWorld& world) {
  Published& published = world.publisher.published();
  ReferenceModel::States states;
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const PublishedEntity& entity = published.entity(index);
    if (!entity.entity) continue;
    std::vector<std::uint32_t> words(published.codecs().entity(entity.prototype).words);
    published.words_now(index, words.data());
    states[index].entity = entity.entity;
    auto next = words.begin();
    for (const ecs::PoolId id : world.registry.prototypes().pools(entity.prototype)) {
      const ecs::Pool& pool = world.registry.pool(id);
      const auto begin = std::exchange(next, next + published.codecs().row(id)->words());
      states[index].rows.push_back({pool.type().id.value, pool.instance().value, {begin, next}});
    }
  }
  return states;
}

std::set<std::uint32_t> difference(const ReferenceModel::States& a, const ReferenceModel::States& b) {
  std::set<std::uint32_t> result;
  const auto missing_in = [&](const auto& from, const auto& in) {
    for (const auto& [index, state] : from)
      if (const auto found = in.find(index); found == in.end() || !(found->second == state)) result.insert(index);
  };
  missing_in(a, b);
  missing_in(b, a);
  return result;
}

TEST(Publisher, RandomHistoriesAgreeWithAReferenceEncoding) {
  const auto schema = test::load_game_schema_without_courses();
  for (std::uint64_t seed = 1; seed <= test::few_or_all(8, 20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomWorld world(seed, schema);
    // Some histories have pools of several blocks.
    for (int i = seed % 4 == 0 ? 300 : 0; i > 0; --i) world.registry.add<engine::Transform>(world.create());
    ReferenceModel::States before;
    for (int tick = 1; tick <= 60; ++tick) {
      world.changes(world.random.below(30));
      std::set<std::uint32_t> touched;
      for (const ecs::JournalEntry& entry : world.registry.journal())
        for (std::uint32_t i = 0; i < entry.count; ++i) touched.insert(entry.first.index + i);
      const std::span<const std::uint32_t> list = world.publish();
      const std::set<std::uint32_t> changed(list.begin(), list.end());
      ASSERT_EQ(changed.size(), list.size()) << "no index twice";

      const ReferenceModel::States now = ReferenceModel::of(world);
      ASSERT_EQ(now, published_states(world)) << "tick " << tick;
      Published& published = world.publisher.published();
      ASSERT_EQ(now.size(), published.size());
      const std::set<std::uint32_t> differs = difference(before, now);
      for (const std::uint32_t index : differs) {
        ASSERT_TRUE(changed.contains(index)) << "tick " << tick << ": " << index << " changed in silence";
        if (now.contains(index)) {
          ASSERT_EQ(published.changed(index, true), world.registry.tick());
        }
      }
      for (const std::uint32_t index : changed)
        ASSERT_TRUE(differs.contains(index) || touched.contains(index))
            << "tick " << tick << ": no change of " << index;
      before = now;
      published.check();
      world.end_tick();
    }
  }
}

TEST(Publisher, PrototypesAreReclaimedWithTheirEntities) {
  test::RandomWorld world(1);
  for (int i = 0; i < 20; ++i) world.changes(40);
  world.publish();
  world.end_tick();
  while (!world.alive.empty()) world.destroy(0);
  world.publish();
  world.end_tick();
  ecs::PrototypeTable& prototypes = world.registry.prototypes();
  for (int round = 0; round < 10; ++round) world.publisher.forget(prototypes.reclaim(prototypes.size()));
  EXPECT_EQ(prototypes.count(), 1u) << "the empty one";
}

}  // namespace
}  // namespace mobula::server::publisher_test

#include <gtest/gtest.h>

#include <functional>
#include <mobula/client/mirror.hpp>
#include <server/random_world.hpp>

namespace mobula::client {
namespace {

constexpr std::uint32_t index_limit = 1000;

// A server's side without a view: what is told is chosen by the test.
class MirrorTest : public testing::Test {
 protected:
  using Write = std::function<void(wire::DeltaWriter&)>;

  MirrorTest() : mirror(std::move(*Mirror::make(test::game_schema(), index_limit))) {}

  ecs::Entity create() {
    const ecs::Entity entity = world.create();
    world.registry.add<demo::Health>(entity).current = 50;
    return entity;
  }
  const wire::EntityRow& published(ecs::Entity entity) { return world.publisher.rows().entity(entity.index); }
  void announce(ecs::PrototypeId id) {
    wire::Names names;
    for (const ecs::PoolId pool : world.registry.prototypes().pools(id))
      names.texts.push_back(world.registry.pool(pool).instance_name());
    ASSERT_TRUE(mirror->add_names(names).ok());
    std::vector<index::ComponentRef> components = index::components(world.registry, id);
    ASSERT_TRUE(mirror->add_prototypes({{{id, index::prototype_hash(components), components}}}).ok());
  }
  core::Bytes delta(const Write& write) {
    core::Bytes bytes(1150);
    wire::DeltaWriter writer(bytes, world.registry, world.publisher.rows());
    write(writer);
    wire::write_header({.sequence = ++sequence, .tick = world.registry.tick(), .entities = writer.entities()}, bytes);
    bytes.resize(writer.size());
    return bytes;
  }
  void spawn(ecs::Entity entity) {
    world.publish();
    announce(published(entity).prototype);
    ASSERT_TRUE(mirror
                    ->apply(delta([&](wire::DeltaWriter& writer) {
                      writer.spawn(published(entity), published(entity).prototype);
                    }))
                    .ok());
    mirror->check();
    world.end_tick();
  }
  template <class T>
  T mirrored(ecs::Entity entity, std::string_view instance = T::component_name) {
    const ecs::Registry& registry = mirror->registry();
    const ecs::PoolId pool = registry.find_pool(core::StringId32(T::component_name), core::StringId32(instance));
    const std::byte* bytes = registry.try_read(entity, pool);
    return bytes == nullptr ? T{} : core::load<T>(bytes);
  }
  [[nodiscard]] bool equal() const { return mirror->rows().hash() == world.publisher.rows().hash(); }

  test::RandomWorld world{1};
  std::unique_ptr<Mirror> mirror;
  std::uint32_t sequence = 0;
};

TEST_F(MirrorTest, ASpawnMakesTheSameHandleWithTheSameValues) {
  const ecs::Entity entity = create();
  world.registry.get<demo::Health>(entity).current = 33;
  spawn(entity);
  EXPECT_TRUE(mirror->registry().valid(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 33);
  EXPECT_EQ(mirror->tick(), 1u);
  EXPECT_TRUE(equal());
}

TEST_F(MirrorTest, AnUpdateWritesWhatIsNewer) {
  const ecs::Entity entity = create();
  world.registry.add<demo::Team>(entity);
  spawn(entity);
  world.registry.get<demo::Health>(entity).current = 5;
  world.publish();
  const core::Bytes update = delta([&](wire::DeltaWriter& writer) { writer.update(published(entity), 1); });
  ASSERT_TRUE(mirror->apply(update).ok());
  mirror->check();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 5);
  EXPECT_EQ(mirror->rows().entity(entity.index).tick, 2u);
  EXPECT_TRUE(equal());
}

TEST_F(MirrorTest, ADespawnEndsAnEntityOrNothing) {
  const ecs::Entity entity = create();
  spawn(entity);
  const Write despawn = [&](wire::DeltaWriter& writer) { writer.despawn(entity.index); };
  ASSERT_TRUE(mirror->apply(delta(despawn)).ok());
  EXPECT_FALSE(mirror->registry().valid(entity));
  EXPECT_EQ(mirror->rows().hash(), 0u);
  mirror->check();
  EXPECT_TRUE(mirror->apply(delta(despawn)).ok());
  mirror->check();
}

TEST_F(MirrorTest, ASpawnOfAKnownEntityGivesItAnotherComposition) {
  const ecs::Entity entity = create();
  spawn(entity);
  world.registry.add_bytes(entity, world.registry.pool_of<demo::RenderData>("Fog"));
  world.registry.remove<demo::Health>(entity);
  spawn(entity);
  EXPECT_TRUE(equal());
  EXPECT_EQ(mirrored<demo::RenderData>(entity, "Fog").tint, 0xFFFFFFu);
  EXPECT_EQ(mirror->registry().prototypes().pools(mirror->registry().prototype(entity)).size(), 1u);
  EXPECT_EQ(mirror->names().text(core::StringId32("Fog")), "Fog");
}

TEST_F(MirrorTest, ASpawnReplacesWhateverHadItsIndex) {
  const ecs::Entity entity = create();
  spawn(entity);
  world.destroy(0);
  ecs::Entity heir;
  do heir = world.create();
  while (heir.index != entity.index);
  while (world.alive.size() > 1) world.destroy(0);
  world.registry.add<demo::Team>(heir);
  spawn(heir);
  EXPECT_TRUE(mirror->registry().valid(heir));
  EXPECT_FALSE(mirror->registry().valid(entity));
  EXPECT_TRUE(equal());
}

TEST_F(MirrorTest, PrototypesAreRefusedWhole) {
  const ecs::Entity entity = create();
  world.publish();
  const ecs::PrototypeId id = published(entity).prototype;
  const std::vector<index::ComponentRef> good = index::components(world.registry, id);
  const auto refused = [&](std::uint32_t bad_id, std::vector<index::ComponentRef> components) {
    const core::Status added = mirror->add_prototypes({{{id, 0, good}, {bad_id, 0, std::move(components)}}});
    return added ? std::string() : std::string(added.error().reason);
  };
  const core::StringId32 health("Health");
  EXPECT_EQ(refused(9, {{core::StringId32("Nonsense"), core::StringId32("Nonsense")}}), "unknown component");
  EXPECT_EQ(refused(9, {{health, core::StringId32("never announced")}}), "bad prototype");
  EXPECT_EQ(refused(9, {{core::StringId32("Wander"), core::StringId32("Wander")}}), "bad prototype");
  EXPECT_EQ(refused(9, {{core::StringId32("RenderData"), health}, {health, health}}), "bad prototype")
      << "one instance name, two components";
  EXPECT_EQ(refused(0, good), "too many prototypes");
  EXPECT_EQ(refused(~0u, good), "too many prototypes");
  // The good one that came with each of them was not taken either.
  const core::Bytes spawned =
      delta([&](wire::DeltaWriter& writer) { writer.spawn(published(entity), published(entity).prototype); });
  EXPECT_FALSE(mirror->apply(spawned).ok());
  announce(id);
  EXPECT_TRUE(mirror->apply(spawned).ok());
}

TEST_F(MirrorTest, ARefusedPrototypeOpensNoPool) {
  ASSERT_TRUE(mirror->add_names({{"Spare"}}));
  const std::uint32_t pools = mirror->registry().pool_count();
  const core::StringId32 health("Health");
  EXPECT_FALSE(mirror->add_prototypes({{{1, 0, {{health, core::StringId32("Spare")}}}, {2, 0, {{health, {}}}}}}));
  EXPECT_EQ(mirror->registry().pool_count(), pools);
}

// Each announcement replaces the last under one id: the mirror keeps what it was told last.
TEST_F(MirrorTest, AFloodOfAnnouncementsIsForgotten) {
  const std::vector<reflect::Component>& all = mirror->schema().components();
  core::Random random(5);
  for (int i = 0; i < 20000; ++i) {
    std::vector<index::ComponentRef> components;
    for (const reflect::Component& component : all)
      if (!component.not_sent && random.below(2) == 0) components.push_back({component.id, component.id});
    std::sort(components.begin(), components.end());
    ASSERT_TRUE(mirror->add_prototypes({{{1, 0, components}}}));
  }
  EXPECT_LT(mirror->registry().prototypes().size(), 1000u);
  mirror->check();
}

// A mirror with some entities, against bytes that no server of ours would send.
class HostileDeltas : public MirrorTest {
 protected:
  void SetUp() override {
    world.changes(40);
    world.publish();
    for (const ecs::Entity entity : world.alive)
      if (published(entity).prototype != ecs::empty_prototype) announce(published(entity).prototype);
    good = delta([&](wire::DeltaWriter& writer) {
      for (std::uint32_t index = 0; index < world.publisher.rows().index_end(); ++index)
        if (world.publisher.rows().entity(index).entity)
          writer.spawn(world.publisher.rows().entity(index), world.publisher.rows().entity(index).prototype);
    });
    ASSERT_TRUE(mirror->apply(good).ok());
    world.end_tick();
    world.changes(30);
    world.publish();
  }
  // Refused with everything as it was, or applied with everything in order.
  void feed(core::ByteView bytes) {
    const std::uint64_t hash = mirror->rows().hash();
    const std::uint32_t entities = mirror->registry().entities().size();
    const ecs::Tick tick = mirror->tick();
    const core::Status applied = mirror->apply(bytes);
    mirror->check();
    if (applied) return static_cast<void>(++taken);
    ++refused;
    EXPECT_STREQ(applied.error().reason, "malformed delta");
    EXPECT_EQ(mirror->rows().hash(), hash);
    EXPECT_EQ(mirror->registry().entities().size(), entities);
    EXPECT_EQ(mirror->tick(), tick);
  }

  core::Bytes good;
  int taken = 0;
  int refused = 0;
};

TEST_F(HostileDeltas, TruncatedOnesAreRefused) {
  for (std::size_t size = 0; size < good.size(); ++size) feed(core::ByteView(good).first(size));
  EXPECT_EQ(taken, 0);
  core::Bytes longer = good;
  longer.push_back(std::byte{0});
  feed(longer);
  EXPECT_EQ(taken, 0);
}

TEST_F(HostileDeltas, FlippedBitsNeverHalfApply) {
  core::Random random(3);
  for (int i = 0; i < 3000; ++i) {
    core::Bytes bad = good;
    for (std::uint32_t flips = 1 + random.below(3); flips-- > 0;)
      bad[random.below(static_cast<std::uint32_t>(bad.size()))] ^= static_cast<std::byte>(1u << random.below(8));
    feed(bad);
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(taken, 100) << "a flip in a value is a value";
}

TEST_F(HostileDeltas, RandomBytesNeverHalfApply) {
  core::Random random(4);
  for (int i = 0; i < 3000; ++i) {
    core::Bytes bad(wire::delta_header_size + random.below(200));
    for (std::byte& byte : bad) byte = static_cast<std::byte>(random.next());
    wire::write_header({.sequence = 1 + random.below(9),
                        .tick = random.below(9),
                        .entities = static_cast<std::uint16_t>(random.below(6))},
                       bad);
    feed(bad);
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(HostileDeltas, AnUpdateOfWhatIsNotThereIsRefused) {
  const core::Bytes update = delta([&](wire::DeltaWriter& writer) {
    for (const ecs::Entity entity : world.alive)
      if (writer.update_bits(published(entity), 0) > 0) return writer.update(published(entity), 0);
  });
  const auto fresh = std::move(*Mirror::make(test::game_schema(), index_limit));
  const core::Status applied = fresh->apply(update);
  ASSERT_FALSE(applied.ok());
  EXPECT_STREQ(applied.error().reason, "malformed delta");
  EXPECT_EQ(fresh->rows().hash(), 0u);
}

TEST_F(HostileDeltas, AnIndexBeyondTheLimitIsRefused) {
  const core::Bytes far = delta([&](wire::DeltaWriter& writer) { writer.despawn(index_limit); });
  feed(far);
  EXPECT_EQ(refused, 1);
  feed(delta([&](wire::DeltaWriter& writer) { writer.despawn(index_limit - 1); }));
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace mobula::client

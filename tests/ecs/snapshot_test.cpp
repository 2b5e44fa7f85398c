#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mobula/core/hash.hpp>
#include <mobula/core/random.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/ecs/snapshot_layout.hpp>
#include <new>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using test::FailingAllocation;
using test::Health;
using test::Mana;
using test::Position;
using test::Thought;
using test::World;

struct Odd {  // of a size that must be padded
  static constexpr std::string_view component_name = "Odd";
  std::array<std::uint8_t, 3> bytes{1, 2, 3};
};

struct OddWorld : World {
  explicit OddWorld(RegistryConfig config = {}) : World(config) {
    static_cast<void>(register_type(test::schema_type<Odd>()));
  }
};

core::Bytes saved(const Registry& registry) {
  core::Bytes bytes;
  save_snapshot(registry, bytes);
  return bytes;
}

std::string reason(const core::Status& status) { return status.ok() ? "" : status.error().reason; }

// A world that has seen much ------------------------------------------------------------

struct Churn {
  Registry& registry;
  core::Random random;
  std::vector<Entity> entities;
  std::vector<EntityRange> ranges;

  void make_entity() {
    if (registry.entities().config().recycling == Recycling::given) {
      const Entity entity{random.below(2000), 1 + random.below(5)};
      if (registry.create_given(entity)) entities.push_back(entity);
    } else if (random.chance(1, 10)) {
      ranges.push_back(registry.create_range(1 + random.below(9)));
      for (std::uint32_t i = 0; i < ranges.back().count; ++i) entities.push_back(ranges.back().at(i));
    } else {
      entities.push_back(registry.create());
    }
  }

  void change(Entity entity) {
    const PoolId pool = random.below(registry.pool_count());
    if (!registry.pool(pool).type().schema) return;
    if (registry.pool(pool).contains(entity.index)) {
      registry.remove(entity, pool);
    } else {
      std::array<std::uint64_t, 2> value{random.next(), random.next()};
      registry.add_bytes(entity, pool, core::as_bytes(value.data(), 2).first(registry.pool(pool).type().size));
    }
  }

  void step() {
    std::erase_if(entities, [this](Entity entity) { return !registry.valid(entity); });
    if (entities.empty() || random.chance(1, 4)) return make_entity();
    const Entity entity = entities[random.below(static_cast<std::uint32_t>(entities.size()))];
    if (random.chance(1, 6)) return registry.destroy(entity);
    if (!ranges.empty() && random.chance(1, 40))
      return registry.destroy_range(ranges[random.below(static_cast<std::uint32_t>(ranges.size()))]);
    change(entity);
  }
};

void open_pools(Registry& registry) {
  registry.pool_of<Position>();
  registry.pool_of<Thought>();  // local: ids of pools are not their numbers in a snapshot
  registry.pool_of<Health>("Shield");
  registry.pool_of<Odd>();
  registry.pool_of<Mana>();
  registry.pool_of<Health>();
}

void churn(Registry& registry, std::uint64_t seed, int steps) {
  Churn churned{registry, core::Random(seed), {}, {}};
  registry.set_tick(17);
  for (int i = 0; i < steps; ++i) churned.step();
}

// What is in a registry, without its ids -------------------------------------------------

std::vector<std::string> composition(const Registry& registry, Entity entity) {
  std::vector<std::string> names;
  for (const PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
    names.push_back(registry.pool(pool).type().name + "/" + registry.pool(pool).instance_name());
  return names;
}

void expect_same_entities(const Registry& a, const Registry& b) {
  ASSERT_EQ(a.entities().index_end(), b.entities().index_end());
  EXPECT_EQ(a.entities().size(), b.entities().size());
  EXPECT_EQ(a.entities().retired(), b.entities().retired());
  for (std::uint32_t index = 0; index < a.entities().index_end(); ++index) {
    const Entity entity = a.entities().at(index);
    ASSERT_EQ(entity, b.entities().at(index));
    if (!entity) continue;
    ASSERT_EQ(composition(a, entity), composition(b, entity));
  }
}

void expect_same_pool(const Pool& pool, const Pool& other) {
  SCOPED_TRACE(pool.instance_name());
  ASSERT_TRUE(std::ranges::equal(pool.indices(), other.indices())) << "the order of the pool";
  for (std::uint32_t position = 0; position < pool.size(); ++position)
    ASSERT_EQ(std::memcmp(pool.at(position), other.at(position), pool.type().size), 0);
}

void expect_same(const Registry& a, const Registry& b) {
  expect_same_entities(a, b);
  for (PoolId id = 0; id < a.pool_count(); ++id) {
    const Pool& pool = a.pool(id);
    if (!pool.type().schema) continue;
    const PoolId other = b.find_pool(pool.type().id, pool.instance());
    ASSERT_NE(other, Registry::no_pool) << pool.instance_name();
    expect_same_pool(pool, b.pool(other));
  }
}

void expect_same_handles_next(Registry& a, Registry& b) {
  for (int i = 0; i < 300; ++i) EXPECT_EQ(a.create(), b.create());
  for (std::uint32_t count = 1; count < 10; ++count)
    for (int i = 0; i < 20; ++i) ASSERT_EQ(a.create_range(count), b.create_range(count));
}

RegistryConfig config_of(Recycling recycling) {
  RegistryConfig config;
  config.entities = {.recycling = recycling, .incarnation = 3, .reuse_bits = 2};  // few, so that indices are retired
  return config;
}

TEST(Snapshot, ARandomWorldComesBackAsItWas) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo, Recycling::given}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE("policy " + std::to_string(static_cast<int>(recycling)) + ", seed " + std::to_string(seed));
      OddWorld world(config_of(recycling));
      open_pools(world);
      churn(world, seed, 6000);
      OddWorld loaded(config_of(recycling));
      const core::Status status = load_snapshot(saved(world), loaded);
      ASSERT_TRUE(status.ok()) << status.error().message;
      loaded.check();
      expect_same(world, loaded);
      EXPECT_EQ(loaded.tick(), 17u);
      EXPECT_EQ(saved(loaded), saved(world));
      if (recycling != Recycling::given) expect_same_handles_next(world, loaded);
      churn(loaded, seed, 500);
      loaded.check();
    }
  }
}

TEST(Snapshot, WorldsOfManyPiecesComeBack) {
  OddWorld world;
  std::vector<Entity> entities(5000);
  ASSERT_TRUE(world.create(std::span(entities), Position{5}, Odd{{7, 8, 9}}));
  core::Random random(1);
  for (const Entity entity : entities)
    if (random.chance(1, 2)) world.add<Health>(entity, {static_cast<std::int32_t>(entity.index)});
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same(world, loaded);
}

TEST(Snapshot, AnEmptyWorldComesBack) {
  OddWorld world;
  OddWorld loaded;
  EXPECT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  EXPECT_EQ(loaded.create(), world.create());
}

TEST(Snapshot, PagesOfAnySizeMakeTheSameBytes) {
  RegistryConfig config;
  core::Bytes expected;
  for (const std::uint32_t shift : {10u, 4u, 7u, 12u}) {
    config.pools = {.sparse_page_shift = shift};
    OddWorld world(config);
    open_pools(world);
    std::vector<Entity> entities(1500);
    ASSERT_TRUE(world.create(std::span(entities), Position{}, Odd{}));
    churn(world, 5, 3000);
    if (expected.empty()) expected = saved(world);
    EXPECT_EQ(saved(world), expected);
    OddWorld loaded(config);
    ASSERT_TRUE(load_snapshot(expected, loaded).ok());
    loaded.check();
    expect_same(world, loaded);
  }
}

TEST(Snapshot, SavingAgainUsesTheMemoryThatIsThere) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 2000);
  core::Bytes bytes;
  save_snapshot(world, bytes);
  const core::Bytes first = bytes;
  const std::byte* const memory = bytes.data();
  churn(world, 2, 10);
  save_snapshot(world, bytes);
  EXPECT_EQ(bytes.data(), memory);
  EXPECT_NE(bytes, first);
  EXPECT_EQ(bytes, saved(world));
}

TEST(Snapshot, BytesMayLieAnywhere) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 500);
  for (std::size_t offset = 1; offset < 8; ++offset) {
    core::Bytes shifted(offset);
    const core::Bytes bytes = saved(world);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    OddWorld loaded;
    ASSERT_TRUE(load_snapshot(core::ByteView(shifted).subspan(offset), loaded).ok());
    expect_same(world, loaded);
  }
}

TEST(Snapshot, ALoadingRegistryMayHaveOtherPoolsInAnotherOrderAndPrototypes) {
  OddWorld world;
  open_pools(world);
  churn(world, 9, 4000);
  OddWorld loaded;
  loaded.pool_of<Mana>("of its own");
  loaded.pool_of<Health>();
  loaded.pool_of<Mana>();
  loaded.pool_of<Position>();
  const Entity gone = loaded.create();
  loaded.add<Position>(gone);
  loaded.add<Mana>(gone);
  loaded.destroy(gone);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same(world, loaded);
  expect_same_handles_next(world, loaded);
}

TEST(Snapshot, AWorldIsLoadedAgainOnceItIsEmptied) {
  OddWorld world;
  open_pools(world);
  churn(world, 9, 1000);
  const core::Bytes bytes = saved(world);
  const core::Bytes before = bytes;
  const std::vector<Entity> living(world.entities().begin(), world.entities().end());
  world.destroy(living);
  ASSERT_TRUE(load_snapshot(bytes, world).ok());
  world.check();
  EXPECT_EQ(saved(world), before);
  for (const Entity entity : living) EXPECT_TRUE(world.valid(entity));
}

TEST(Snapshot, ANewerIncarnationGivesNewHandlesAndKeepsTheOld) {
  OddWorld world(config_of(Recycling::queue));
  open_pools(world);
  churn(world, 4, 2000);
  RegistryConfig config = config_of(Recycling::queue);
  config.entities.incarnation = 4;
  OddWorld loaded(config);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  world.entities().each([&](Entity entity) { EXPECT_TRUE(loaded.valid(entity)); });
  EXPECT_EQ(loaded.create().generation >> config.entities.reuse_bits, 4u);
}

TEST(Snapshot, LocalComponentsStayBehind) {
  OddWorld world;
  const Entity entity = world.create();
  world.add<Thought>(entity);
  world.add<Health>(entity, {3});
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  EXPECT_FALSE(loaded.has<Thought>(entity));
  EXPECT_EQ(loaded.get<const Health>(entity).value, 3);
}

// What readers of the loading registry see -----------------------------------------------

TEST(Snapshot, EverythingIsNewToReaders) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 2000);
  for (const Tick own : {Tick{5}, Tick{40}}) {
    OddWorld loaded;
    loaded.set_tick(own);
    ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
    EXPECT_EQ(loaded.tick(), std::max(own, Tick{17})) << "time never goes back";
    for (PoolId pool = 0; pool < loaded.pool_count(); ++pool)
      for (const Tick stamp : loaded.pool(pool).stamps()) EXPECT_EQ(stamp, loaded.tick());
  }
}

TEST(Snapshot, TheJournalTellsOfTheLivingInRuns) {
  OddWorld world;
  const EntityRange range = world.create_range(10);
  world.destroy(range.at(4));
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  ASSERT_EQ(loaded.journal().size(), 2u);
  EXPECT_EQ(loaded.journal()[0].kind, JournalEntry::Kind::create);
  EXPECT_EQ(loaded.journal()[0].first, range.at(0));
  EXPECT_EQ(loaded.journal()[0].count, 4u);
  EXPECT_EQ(loaded.journal()[1].first, range.at(5));
  EXPECT_EQ(loaded.journal()[1].count, 5u);
}

TEST(Snapshot, ListenersHearOfAllInSpansWhenAllIsInPlace) {
  OddWorld world;
  open_pools(world);
  churn(world, 3, 1000);
  OddWorld loaded;
  std::vector<std::size_t> created;
  std::vector<std::size_t> constructed;
  loaded.created().connect([&](std::span<const Entity> entities) {
    created.push_back(entities.size());
    for (const Entity entity : entities) EXPECT_TRUE(loaded.valid(entity));
    EXPECT_EQ(loaded.pool<Health>().size(), world.pool<Health>().size());
    loaded.check();
  });
  loaded.signals<Health>().construct.connect([&](std::span<const Entity> entities) {
    constructed.push_back(entities.size());
    for (const Entity entity : entities) EXPECT_TRUE(loaded.has<Health>(entity));
  });
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  EXPECT_EQ(created, std::vector<std::size_t>{world.entities().size()});
  EXPECT_EQ(constructed, std::vector<std::size_t>{world.pool<Health>().size()});
}

TEST(Snapshot, GroupsThatExistAreFilled) {
  OddWorld world;
  open_pools(world);
  churn(world, 3, 3000);
  OddWorld loaded;
  const auto owning = loaded.group<Position, Health>(with<>, exclude<Odd>);
  const auto looking = loaded.group<>(with<Mana, Odd>);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same_entities(world, loaded);
  std::uint32_t expected = 0;
  world.view<const Position, const Health>(exclude<Odd>)
      .each([&](Entity entity, const Position& position, const Health& health) {
        ++expected;
        EXPECT_TRUE(owning.contains(entity));
        EXPECT_EQ(loaded.get<const Position>(entity).value, position.value);
        EXPECT_EQ(loaded.get<const Health>(entity).value, health.value);
      });
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(owning.size(), expected);
  EXPECT_GT(looking.size(), 0u);
  churn(loaded, 8, 500);
  loaded.check();
}

// What is refused ------------------------------------------------------------------------

// With something of its own to be touched.
struct Target : OddWorld {
  explicit Target(RegistryConfig config = {}) : OddWorld(config) {
    static_cast<void>(open_pool(core::StringId32(Mana::component_name), "of its own"));
    destroy(create());
    clear_journal();
    set_tick(2);
  }

  void expect_untouched() const {
    EXPECT_EQ(pool_count(), 1u);
    EXPECT_EQ(prototypes().size(), 1u);
    EXPECT_EQ(entities().size(), 0u);
    EXPECT_EQ(entities().index_end(), 1u);
    EXPECT_EQ(tick(), 2u);
    EXPECT_TRUE(journal().empty());
    check();
  }
};

TEST(Snapshot, ARegistryWithEntitiesIsRefused) {
  OddWorld world;
  OddWorld loaded;
  const Entity entity = loaded.create();
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "registry not empty");
  EXPECT_TRUE(loaded.valid(entity));
}

TEST(Snapshot, AnUnknownTypeIsRefused) {
  OddWorld world;
  world.add<Odd>(world.create());
  World loaded;
  const core::Status status = load_snapshot(saved(world), loaded);
  EXPECT_EQ(reason(status), "unknown component");
  EXPECT_NE(status.error().message.find("Odd"), std::string::npos);
  EXPECT_EQ(loaded.entities().index_end(), 0u);
}

TEST(Snapshot, ATypeThatDiffersIsRefused) {
  OddWorld world;
  world.add<Odd>(world.create());
  ComponentType longer = test::schema_type<Odd>();
  longer.size = 4;
  longer.default_value.resize(4);
  ComponentType renamed = test::schema_type<Odd>();
  renamed.name = "Strange";
  ComponentType local = test::schema_type<Odd>();
  local.schema = false;
  for (const ComponentType& type : {longer, renamed, local}) {
    World loaded;
    ASSERT_TRUE(loaded.register_type(type).ok());
    EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "component differs");
    EXPECT_EQ(loaded.pool_count(), 0u);
  }
}

TEST(Snapshot, AnInstanceNameWithTheHashOfAnotherIsRefused) {
  ASSERT_EQ(core::StringId32("costarring"), core::StringId32("liquid"));
  OddWorld world;
  world.pool_of<Mana>("costarring");
  OddWorld loaded;
  loaded.pool_of<Mana>("liquid");
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "name collision");
}

TEST(Snapshot, MorePoolsThanARegistryHoldsAreRefused) {
  OddWorld world;
  world.pool_of<Mana>("a");
  world.pool_of<Mana>("b");
  OddWorld loaded;
  loaded.pool_of<Mana>("b");
  while (loaded.pool_count() < Registry::max_pools) loaded.pool_of<Odd>("odd " + std::to_string(loaded.pool_count()));
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "too many pools");
}

TEST(Snapshot, AnotherWayToRecycleIsRefused) {
  OddWorld world(config_of(Recycling::lifo));
  OddWorld loaded(config_of(Recycling::queue));
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "damaged snapshot");
}

core::Bytes small_snapshot(Recycling recycling) {
  OddWorld world(config_of(recycling));
  open_pools(world);
  churn(world, 2, 60);
  return saved(world);
}

TEST(Snapshot, AnyChangedByteIsRefused) {
  Target target(config_of(Recycling::queue));
  core::Bytes bytes = small_snapshot(Recycling::queue);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      const std::byte before = std::exchange(bytes[i], bytes[i] ^ std::byte(change));
      ASSERT_EQ(reason(load_snapshot(bytes, target)), "damaged snapshot") << "byte " << i;
      bytes[i] = before;
    }
  }
  target.expect_untouched();
}

TEST(Snapshot, AnyOtherLengthIsRefused) {
  Target target(config_of(Recycling::queue));
  const core::Bytes bytes = small_snapshot(Recycling::queue);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    ASSERT_EQ(reason(load_snapshot(core::ByteView(bytes).first(length), target)), "damaged snapshot") << length;
  core::Bytes longer = bytes;
  longer.resize(bytes.size() + 8);
  EXPECT_EQ(reason(load_snapshot(longer, target)), "damaged snapshot");
  target.expect_untouched();
}

// A hostile writer: the layout once more, to make any bytes a well-formed snapshot with a right checksum. -----------

struct Layout {
  enum Column : std::size_t { counts, records, names, prototype_sizes, prototype_pools, slots, ranges, lists, pools };

  std::vector<std::size_t> offsets;  // of the columns; then of each pool its indices and its components
  std::size_t end = sizeof(SnapshotHeader);
  std::uint64_t checksum = 0;
  bool fits = true;

  explicit Layout(const core::Bytes& bytes) {
    add(bytes, sizeof(SnapshotCounts), 1);
    if (!fits) return;
    const auto found = core::load<SnapshotCounts>(&bytes[offsets[counts]]);
    add(bytes, sizeof(PoolRecord), found.pools);
    add(bytes, 1, found.name_bytes);
    add(bytes, 4, found.prototypes);
    add(bytes, 4, found.prototype_pools);
    add(bytes, 8, found.slots);
    add(bytes, 20, found.ranges);
    add(bytes, 12, found.free_range_lists);
    for (std::uint32_t i = 0; fits && i < found.pools; ++i) {
      const auto record = core::load<PoolRecord>(&bytes[offsets[records] + i * sizeof(PoolRecord)]);
      add(bytes, 4, record.count);
      add(bytes, record.component_size, record.count);
    }
  }

  void add(const core::Bytes& bytes, std::uint64_t item_size, std::uint64_t count) {
    offsets.push_back(end);
    fits = fits && (item_size * count + 7) / 8 * 8 <= bytes.size() - end;
    if (!fits) return;
    for (std::uint64_t first = 0; first < count; first += 512) {
      const std::uint64_t taken = std::min<std::uint64_t>(512, count - first);
      checksum = core::hash64(core::ByteView(bytes).subspan(end + first * item_size, taken * item_size), checksum);
    }
    end += (item_size * count + 7) / 8 * 8;
  }
};

void reseal(core::Bytes& bytes) {
  auto header = core::load<SnapshotHeader>(bytes.data());
  header.length = bytes.size();
  header.checksum = Layout(bytes).checksum;
  core::store(bytes.data(), header);
}

TEST(Snapshot, TheLayoutIsTheOneThatIsWritten) {
  const core::Bytes bytes = small_snapshot(Recycling::queue);
  core::Bytes sealed = bytes;
  reseal(sealed);
  EXPECT_EQ(sealed, bytes);
  EXPECT_EQ(Layout(bytes).end, bytes.size());
}

// Loads one snapshot after the other: each is refused and nothing touched, or loaded and sound.
struct Victim {
  explicit Victim(Recycling recycling) : config(config_of(recycling)) {}

  void load(const core::Bytes& bytes) {
    if (registry == nullptr) registry = std::make_unique<OddWorld>(config);
    if (!load_snapshot(bytes, *registry).ok()) {
      ASSERT_EQ(registry->pool_count(), 0u);
      ASSERT_EQ(registry->prototypes().size(), 1u);
      ASSERT_EQ(registry->entities().index_end(), 0u);
      ASSERT_TRUE(registry->journal().empty());
      return;
    }
    ++loaded;
    registry->check();
    churn(*registry, 1, 40);
    registry->check();
    registry.reset();
  }

  RegistryConfig config;
  std::unique_ptr<OddWorld> registry;
  int loaded = 0;
};

TEST(Snapshot, BytesChangedUnderARightChecksumAreRefusedOrGiveASoundRegistry) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo, Recycling::given}) {
    core::Bytes bytes = small_snapshot(recycling);
    const core::Bytes original = bytes;
    Victim victim(recycling);
    core::Random random(3);
    for (std::size_t i = sizeof(SnapshotHeader); i < bytes.size(); ++i) {
      SCOPED_TRACE("policy " + std::to_string(static_cast<int>(recycling)) + ", byte " + std::to_string(i));
      bytes[i] ^= std::byte(1u << random.below(8));
      reseal(bytes);
      victim.load(bytes);
      if (testing::Test::HasFailure()) return;
      bytes = original;
    }
    EXPECT_GT(victim.loaded, 0) << "components may be any bytes";
  }
}

TEST(Snapshot, NumbersExchangedUnderARightChecksumAreRefusedOrGiveASoundRegistry) {
  core::Bytes bytes = small_snapshot(Recycling::queue);
  const core::Bytes original = bytes;
  core::Random random(11);
  Victim victim(Recycling::queue);
  const auto words = static_cast<std::uint32_t>((bytes.size() - sizeof(SnapshotHeader)) / 4);
  const auto any_word = [&] { return &bytes[sizeof(SnapshotHeader) + 4 * random.below(words)]; };
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes)
      core::store(any_word(), core::load<std::uint32_t>(any_word()));
    reseal(bytes);
    victim.load(bytes);
    if (testing::Test::HasFailure()) return;
    bytes = original;
  }
  EXPECT_GT(victim.loaded, 0);
}

// Three entities: the first two with Position, the second with Health too, the third dead.
struct SmallWorld {
  core::Bytes bytes;
  std::vector<std::size_t> at;

  SmallWorld() {
    OddWorld world;
    world.pool_of<Position>();
    world.pool_of<Health>();
    const std::array<Entity, 3> entities{world.create(), world.create(), world.create()};
    world.add<Position>(entities[0]);
    world.add<Position>(entities[1]);
    world.add<Health>(entities[1]);
    world.destroy(entities[2]);
    bytes = saved(world);
    at = Layout(bytes).offsets;
  }
  template <class T>
  void set(std::size_t column, std::size_t item, T value) {
    core::store(&bytes[at[column] + item * sizeof(T)], value);
  }
  // The sentence of the refusal.
  std::string refusal() {
    reseal(bytes);
    Target target;
    const core::Status status = load_snapshot(bytes, target);
    if (status.ok()) return "loaded";
    target.expect_untouched();
    return status.error().message;
  }
};

constexpr const char* wrong_entities = "a pool does not hold those entities whose prototype has it";

TEST(Snapshot, AComponentOfAnEntityThatHasItAlreadyIsRefused) {
  SmallWorld world;
  world.set<std::uint32_t>(Layout::pools, 1, 0);  // positions of entities 0 and 0
  EXPECT_EQ(world.refusal(), wrong_entities);
}

TEST(Snapshot, AComponentOfADeadOrUnknownEntityIsRefused) {
  for (const std::uint32_t index : {2u, 3u, 1u << 31, ~0u}) {
    SmallWorld world;
    world.set<std::uint32_t>(Layout::pools, 0, index);
    EXPECT_EQ(world.refusal(), wrong_entities);
  }
}

TEST(Snapshot, AComponentThatThePrototypeDoesNotHaveIsRefused) {
  SmallWorld world;
  world.set<std::uint32_t>(Layout::pools + 2, 0, 0);  // health of entity 0
  EXPECT_EQ(world.refusal(), wrong_entities);
}

TEST(Snapshot, AMissingComponentIsRefused) {
  SmallWorld world;
  auto record = core::load<PoolRecord>(&world.bytes[world.at[Layout::records] + sizeof(PoolRecord)]);
  record.count = 0;
  world.set(Layout::records, 1, record);
  world.bytes.resize(world.at[Layout::pools + 2]);
  EXPECT_EQ(world.refusal(), wrong_entities);
}

TEST(Snapshot, AChainWithoutItsBaseIsRefused) {
  OddWorld world;
  const Entity entity = world.create();
  world.add<Position>(entity);
  world.add<Health>(entity);
  world.add<Mana>(entity);
  core::Bytes bytes = saved(world);
  const auto counts = core::load<SnapshotCounts>(&bytes[sizeof(SnapshotHeader)]);
  const Layout layout(bytes);
  const std::size_t sizes = layout.offsets[Layout::prototype_sizes];
  std::uint32_t first = 0;
  for (std::uint32_t prototype = 0; prototype < counts.prototypes; ++prototype) {
    // The first pool of each chain becomes the last: bases and canonical prototypes are missing.
    const auto size = core::load<std::uint32_t>(&bytes[sizes + 4 * prototype]);
    std::byte* const pools = &bytes[layout.offsets[Layout::prototype_pools] + 4 * first];
    if (size == 3) std::rotate(pools, pools + 4, pools + 4 * size);
    first += size;
  }
  reseal(bytes);
  Target target;
  const core::Status status = load_snapshot(bytes, target);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "a prototype comes before those it is made of");
  target.expect_untouched();
}

TEST(Snapshot, NonZeroBytesBetweenColumnsAreRefused) {
  SmallWorld world;
  world.bytes[world.at[Layout::records] - 1] = std::byte{1};  // behind the counts, which are 52 bytes
  EXPECT_EQ(world.refusal(), "its counts are not whole");
}

// Memory ---------------------------------------------------------------------------------

// False if the n-th allocation failed, and then the registry is as it should be.
bool loads_though_one_fails(const core::Bytes& bytes, const Registry& world, std::uint64_t nth) {
  OddWorld loaded({.entities = {}, .pools = test::small_pages});
  loaded.set_tick(2);
  const auto owning = loaded.group<Position, Health>();
  const auto looking = loaded.group<>(with<Mana, Odd>);
  loaded.created().connect([](std::span<const Entity>) {});
  loaded.signals<Mana>().construct.connect([](std::span<const Entity>) {});
  try {
    const FailingAllocation failing(nth);
    EXPECT_TRUE(load_snapshot(bytes, loaded).ok());
  } catch (const std::bad_alloc&) {
    EXPECT_EQ(loaded.entities().index_end(), 0u);
    EXPECT_EQ(loaded.tick(), 2u);
    EXPECT_TRUE(loaded.journal().empty());
    EXPECT_EQ(owning.size() + looking.size(), 0u);
    for (PoolId pool = 0; pool < loaded.pool_count(); ++pool) EXPECT_EQ(loaded.pool(pool).size(), 0u);
    loaded.check();
    return false;
  }
  loaded.check();
  expect_same_entities(world, loaded);
  return true;
}

TEST(Snapshot, AnAllocationThatFailsLeavesNoEntities) {
  OddWorld world;
  open_pools(world);
  churn(world, 6, 400);
  const core::Bytes bytes = saved(world);
  std::uint64_t nth = 1;
  while (!testing::Test::HasFailure() && !loads_though_one_fails(bytes, world, nth)) ++nth;
  EXPECT_GT(nth, 100u);
}

}  // namespace
}  // namespace mobula::ecs

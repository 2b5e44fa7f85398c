// Damaged snapshots: refused without any change, or loaded as another consistent registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/ecs/snapshot_layout.hpp>

#include "ecs/snapshot_seal.hpp"
#include "ecs/snapshot_world.hpp"

namespace mobula::ecs {
namespace {

using test::churn;
using test::config_of;
using test::Health;
using test::Layout;
using test::Mana;
using test::OddWorld;
using test::Position;
using test::reason;
using test::reseal;
using test::saved;

// Has content of its own, to detect changes.
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

// Hostile bytes with valid length and checksum ---------------------------------------------

TEST(Snapshot, TheLayoutIsTheOneThatIsWritten) {
  const core::Bytes bytes = small_snapshot(Recycling::queue);
  core::Bytes sealed = bytes;
  reseal(sealed);
  EXPECT_EQ(sealed, bytes);
  EXPECT_EQ(Layout(bytes).end, bytes.size());
}

// Loads one snapshot after the other: each is refused without a change, or loaded consistently.
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

TEST(Snapshot, ChangedBytesAreRefusedOrLoadConsistently) {
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

TEST(Snapshot, ExchangedNumbersAreRefusedOrLoadConsistently) {
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

// Three entities: the first two with Position, the second also with Health, the third dead.
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
  // Returns the sentence of the refusal.
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
    // The first pool of each chain becomes the last: bases are missing.
    const auto size = core::load<std::uint32_t>(&bytes[sizes + 4 * prototype]);
    std::byte* const pools = &bytes[layout.offsets[Layout::prototype_pools] + 4 * first];
    if (size == 3) std::rotate(pools, pools + 4, pools + 4 * size);
    first += size;
  }
  reseal(bytes);
  Target target;
  const core::Status status = load_snapshot(bytes, target);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "a prototype has no base");
  target.expect_untouched();
}

TEST(Snapshot, NonZeroBytesBetweenColumnsAreRefused) {
  SmallWorld world;
  world.bytes[world.at[Layout::records] - 1] = std::byte{1};  // behind the counts, which are 52 bytes
  EXPECT_EQ(world.refusal(), "its counts are truncated");
}

}  // namespace
}  // namespace mobula::ecs

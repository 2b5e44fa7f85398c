#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mobula/core/log.hpp>
#include <mobula/core/random.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/standalone_pool.hpp>
#include <numeric>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

ComponentType bytes_type(std::uint32_t size) {
  return {.id = core::StringId32("Bytes"),
          .name = "Bytes",
          .size = size,
          .alignment = 4,
          .schema = true,
          .default_value = core::Bytes(size)};
}

struct PoolTest : testing::Test {
  Tick now = 1;
  ComponentType type = bytes_type(4);
  StandalonePool pool{3, type, core::StringId32("Fog"), "Fog", now, small_pages};
  Scratch scratch;

  void add(std::uint32_t index, std::uint32_t value) {
    pool.make_room(index);
    core::store(pool.end(), value);
    pool.commit(index);
  }
  std::uint32_t value(std::uint32_t index) { return core::load<std::uint32_t>(pool.at(pool.find(index))); }
  std::vector<std::uint32_t> listed() { return {pool.indices().begin(), pool.indices().end()}; }
  // Returns the blocks changed in the current tick.
  std::vector<std::size_t> changed_blocks() {
    std::vector<std::size_t> blocks;
    for (std::size_t block = 0; block < pool.change_ticks().size(); ++block)
      if (pool.change_ticks()[block] == now) blocks.push_back(block);
    return blocks;
  }
};
using Blocks = std::vector<std::size_t>;

TEST_F(PoolTest, KnowsWhatItHolds) {
  EXPECT_EQ(pool.id(), 3u);
  EXPECT_EQ(pool.type().name, "Bytes");
  EXPECT_EQ(pool.instance_name(), "Fog");
  EXPECT_EQ(pool.instance(), core::StringId32("Fog"));
  EXPECT_TRUE(pool.change_ticks().empty());
}

TEST_F(PoolTest, RemovalSwapsTheLastIntoTheGap) {
  for (std::uint32_t i = 0; i < 4; ++i) add(i * 10, i);
  pool.remove(10);
  EXPECT_EQ(listed(), (std::vector<std::uint32_t>{0, 30, 20}));
  EXPECT_EQ(value(30), 3u);
  EXPECT_FALSE(pool.contains(10));
  pool.check();
}

TEST_F(PoolTest, RoomThatIsNotUsedChangesNothing) {
  add(1, 1);
  pool.make_room(2);
  EXPECT_EQ(listed(), std::vector<std::uint32_t>{1});
  pool.check();
}

TEST_F(PoolTest, BlocksNeverMove) {
  add(0, 7);
  const std::byte* first = pool.at(0);
  for (std::uint32_t i = 1; i < 1000; ++i) add(i, i);
  EXPECT_EQ(pool.at(0), first);
}

TEST_F(PoolTest, ASlabIsOneArray) {
  std::uint32_t slabs = 0;
  for (std::uint32_t i = 0; i < 5000; ++i) add(i, i);
  for (std::uint32_t first = 0, next = 0; first < pool.size(); first = next, ++slabs) {
    next = pool.slab_end(first, pool.size());
    ASSERT_GT(next, first);
    for (std::uint32_t position = first; position < next; ++position) {
      ASSERT_EQ(pool.at(position), pool.at(first) + (position - first) * pool.type().size);
      ASSERT_EQ(pool.slab_begin(position / Pool::block_size), first / Pool::block_size);
      ASSERT_EQ(pool.slab_end(position, pool.size()), next);
      ASSERT_EQ(pool.slab_end(first, position + 1), position + 1) << "not beyond what is asked for";
    }
  }
  EXPECT_GT(slabs, 5u) << "few entities take little memory";
  EXPECT_LT(slabs, 20u) << "many lie in long arrays";
}

TEST_F(PoolTest, OnlyMutableAccessMarksABlock) {
  for (std::uint32_t i = 0; i < 200; ++i) add(i, i);
  EXPECT_EQ(changed_blocks(), (Blocks{0, 1, 2, 3})) << "an add is a write";
  now = 2;
  static_cast<void>(pool.at(5));
  static_cast<void>(pool.address(5));
  EXPECT_EQ(changed_blocks(), Blocks{});
  static_cast<void>(pool.at_mutable(70));
  EXPECT_EQ(changed_blocks(), Blocks{1});
  now = 3;
  pool.mark_run_changed(63, 65);
  EXPECT_EQ(changed_blocks(), (Blocks{0, 1}));
  now = 4;
  pool.mark_run_changed(64, 128);
  EXPECT_EQ(changed_blocks(), Blocks{1});
}

TEST_F(PoolTest, AMoveMarksItsDestination) {
  for (std::uint32_t i = 0; i < 200; ++i) add(i, i);
  now = 2;
  pool.remove(3);  // 199 moves from block 3 to block 0
  EXPECT_EQ(changed_blocks(), Blocks{0});
  now = 3;
  pool.remove(198);  // the last: nothing moves
  EXPECT_EQ(changed_blocks(), Blocks{});
  pool.swap(5, 5);
  EXPECT_EQ(changed_blocks(), Blocks{});
  pool.swap(5, 130);
  EXPECT_EQ(changed_blocks(), (Blocks{0, 2}));
  EXPECT_EQ(value(130), 130u);
  EXPECT_EQ(pool.find(130), 5u);
  now = 4;
  const std::uint32_t order[] = {121, 120};
  pool.reorder(120, order, scratch);
  EXPECT_EQ(changed_blocks(), Blocks{1});
  now = 5;
  std::vector<std::uint32_t> all(pool.size());
  std::iota(all.begin(), all.end(), 0);
  pool.reorder(0, all, scratch);
  EXPECT_EQ(changed_blocks(), Blocks{}) << "nothing has moved";
  std::swap(all[70], all[150]);
  pool.reorder(0, all, scratch);
  EXPECT_EQ(changed_blocks(), (Blocks{1, 2}));
  pool.check();
}

TEST_F(PoolTest, AColumnArrivesAsIfAddedOneByOne) {
  add(500, 7);
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 200; ++i) {
    offsets.push_back(i * 2);
    rows.push_back(1000 + i);
  }
  now = 9;
  pool.append_rows(EntityRange{1000, 400, 1}, offsets, reinterpret_cast<const std::byte*>(rows.data()));
  EXPECT_EQ(pool.size(), 201u);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(value(1000 + i * 2), 1000 + i);
  EXPECT_EQ(changed_blocks(), (Blocks{0, 1, 2, 3}));
  pool.append_rows(EntityRange{5000, 9, 1}, {}, nullptr);
  EXPECT_EQ(pool.size(), 201u);
  const std::vector<Entity> anywhere{{9000, 1}, {3, 7}, {700, 2}};
  const std::vector<std::uint32_t> some{0, 2};
  pool.append_rows(std::span(anywhere), some, reinterpret_cast<const std::byte*>(rows.data()));
  EXPECT_EQ(value(9000), 1000u);
  EXPECT_EQ(value(700), 1001u);
  EXPECT_FALSE(pool.contains(3));
  pool.check();
}

TEST_F(PoolTest, ARunOfEqualComponentsArrivesAsIfAddedOneByOne) {
  for (const std::uint32_t count : {1u, 2u, 63u, 64u, 65u, 300u}) {
    SCOPED_TRACE(count);
    pool.clear();
    for (std::uint32_t i = 0; i < 30; ++i) add(i, i);
    const std::uint32_t same = 77;
    pool.reserve(pool.size() + count);
    pool.make_pages(100, count);
    now += 1;
    pool.commit_run(100, count, reinterpret_cast<const std::byte*>(&same));
    pool.check();
    ASSERT_EQ(pool.size(), 30 + count);
    for (std::uint32_t i = 0; i < 30; ++i) ASSERT_EQ(value(i), i);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(pool.find(100 + i), 30 + i);
      ASSERT_EQ(value(100 + i), same);
    }
    EXPECT_EQ(changed_blocks().size(), pool.change_ticks().size());
  }
}

TEST_F(PoolTest, RandomHistoriesAgreeWithAMap) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    std::map<std::uint32_t, std::uint32_t> model;
    for (int step = 0; step < 20000; ++step) {
      const std::uint32_t index = random.below(300) * 7;
      if (model.contains(index)) {
        model.erase(index);
        pool.remove(index);
      } else {
        model[index] = static_cast<std::uint32_t>(random.next());
        add(index, model[index]);
      }
      if (pool.size() > 0) pool.swap(random.below(pool.size()), random.below(pool.size()));
      if (step % 500 != 0) continue;
      pool.check();
      ASSERT_EQ(pool.size(), model.size());
      for (const auto& [key, expected] : model) ASSERT_EQ(value(key), expected);
    }
    pool.clear();
    EXPECT_EQ(pool.size(), 0u);
    pool.check();
  }
}

TEST_F(PoolTest, ComparesItsBlocksWithThoseOfALead) {
  StandalonePool lead(0, type, type.id, "Lead", now, small_pages);
  for (std::uint32_t i = 0; i < 200; ++i) {
    lead.make_room(i);
    lead.commit(i);
    add(i, i);
  }
  const auto aligned = [&] {
    const std::uint64_t* blocks = pool.blocks_aligned_with(lead.set());
    Blocks found;
    for (std::size_t block = 0; block < lead.change_ticks().size(); ++block)
      if (blocks == nullptr || (blocks[block / 64] >> block % 64 & 1) != 0) found.push_back(block);
    return found;
  };
  EXPECT_EQ(aligned(), (Blocks{0, 1, 2, 3}));
  EXPECT_EQ(pool.blocks_aligned_with(lead.set()), nullptr) << "all";
  lead.swap(70, 71);
  EXPECT_EQ(aligned(), (Blocks{0, 2, 3}));
  pool.swap(3, 150);
  EXPECT_EQ(aligned(), Blocks{3});
  pool.swap(3, 150);
  pool.swap(70, 71);
  EXPECT_EQ(aligned(), (Blocks{0, 1, 2, 3}));
  pool.remove(199);
  EXPECT_EQ(aligned(), (Blocks{0, 1, 2})) << "the lead's last block has more than this pool's";
  add(1000, 1);
  EXPECT_EQ(aligned(), (Blocks{0, 1, 2}));
  lead.clear();
  EXPECT_EQ(aligned(), Blocks{});
}

// Every kind of component is moved and destroyed exactly once; sanitizers detect violations.
template <class T>
struct TypedPoolTest : testing::Test {
  Tick now = 1;
  ComponentType type = server_only_component_type<T>();
  StandalonePool pool{0, type, type.id, type.name, now, small_pages};
  Scratch scratch;

  void add(std::uint32_t index, std::int32_t value) {
    pool.make_room(index);
    ::new (pool.end()) T(make<T>(value));
    pool.commit(index);
  }
  std::int32_t value(std::uint32_t index) { return value_of(*pool.template typed_address<T>(pool.find(index))); }
};
using LocalTypes = testing::Types<Thought, Label, Marker, Wide>;

TYPED_TEST_SUITE(TypedPoolTest, LocalTypes);

TYPED_TEST(TypedPoolTest, RandomHistoriesAgreeWithAMap) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  std::map<std::uint32_t, std::int32_t> model;
  for (int step = 0; step < 4000; ++step) {
    const std::uint32_t index = random.below(300);
    if (model.contains(index)) {
      model.erase(index);
      this->pool.remove(index);
    } else {
      model[index] = value_of(make<TypeParam>(static_cast<std::int32_t>(random.below(1000))));
      this->add(index, model[index]);
    }
    const std::uint32_t size = this->pool.size();
    if (size > 0) this->pool.swap(random.below(size), random.below(size));
    if (step % 100 != 0) continue;
    std::vector<std::uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    this->pool.reorder(0, order, this->scratch);
    this->pool.check();
    ASSERT_EQ(size, model.size());
    for (const auto& [key, expected] : model) ASSERT_EQ(this->value(key), expected);
  }
}

TYPED_TEST(TypedPoolTest, ComponentsAreAligned) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    this->add(i, 1);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(this->pool.at(i)) % alignof(TypeParam), 0u);
  }
  EXPECT_EQ(this->pool.at(1) - this->pool.at(0), static_cast<std::ptrdiff_t>(sizeof(TypeParam)));
}

TEST(Pool, OwnedComponentsAreDestroyedExactlyOnce) {
  using Owner = std::shared_ptr<int>;
  const ComponentType type = server_only_component_type<Owner>();
  const Tick now = 1;
  const Owner owner = std::make_shared<int>(1);
  {
    StandalonePool pool(0, type, type.id, type.name, now, {});
    for (std::uint32_t i = 0; i < 1000; ++i) {
      pool.make_room(i);
      ::new (pool.end()) Owner(owner);
      pool.commit(i);
    }
    pool.remove(0);
    EXPECT_EQ(owner.use_count(), 1000);
    pool.swap(3, 700);
    EXPECT_EQ(owner.use_count(), 1000);
    pool.clear();
    EXPECT_EQ(owner.use_count(), 1);
    pool.make_room(5);
    ::new (pool.end()) Owner(owner);
    pool.commit(5);
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(Pool, RemovalAllocatesNothing) {
  const ComponentType type = server_only_component_type<Label>();
  const Tick now = 1;
  StandalonePool pool(0, type, type.id, type.name, now, small_pages);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    pool.make_room(i);
    ::new (pool.end()) Label(make<Label>(1));
    pool.commit(i);
  }
  const std::uint64_t before = allocations();
  for (std::uint32_t i = 0; i < 1000; ++i) pool.remove(i * 7 % 1000);
  EXPECT_EQ(allocations(), before);
}

TEST_F(PoolTest, AnOrderThatIsReleasedMayBeClaimedByAnother) {
  EXPECT_EQ(pool.order_owner(), OrderOwner::nobody);
  pool.claim_order(OrderOwner::sort);
  pool.claim_order(OrderOwner::sort);
  EXPECT_EQ(pool.order_owner(), OrderOwner::sort);
  pool.release_order();
  pool.claim_order(OrderOwner::hierarchy);
  EXPECT_EQ(pool.order_owner(), OrderOwner::hierarchy);
}

TEST_F(PoolTest, AnOrderHasOneOwner) {
  pool.claim_order(OrderOwner::sort);
  EXPECT_DEATH(pool.claim_order(OrderOwner::hierarchy), "the order of pool Fog already has an owner");
  EXPECT_DEATH(pool.claim_order(OrderOwner::group), "the order of pool Fog already has an owner");
  pool.release_order();
  pool.claim_order(OrderOwner::hierarchy);
  EXPECT_DEATH(pool.claim_order(OrderOwner::hierarchy), "the order of pool Fog already has an owner");
  EXPECT_DEATH(pool.claim_order(OrderOwner::sort), "the order of pool Fog already has an owner");
}

TEST_F(PoolTest, ReorderingDuringIterationAsserts) {
  add(0, 0);
  add(1, 1);
  const std::uint32_t order[] = {1, 0};
  IterationProgress progress(pool.set());
  Iterations::Link outer{&progress};
  Iterations::Link inner{&progress};
  pool.begin_iteration(outer);
  pool.begin_iteration(inner);
  pool.end_iteration(inner);
  EXPECT_TRUE(pool.is_iterated());
  EXPECT_DEATH(pool.reorder(0, order, scratch), "pool Fog is reordered while it is iterated");
  EXPECT_DEATH(pool.claim_order(OrderOwner::sort), "pool Fog is reordered while it is iterated");
  pool.end_iteration(outer);
  pool.reorder(0, order, scratch);
  EXPECT_EQ(listed(), (std::vector<std::uint32_t>{1, 0}));
}

TEST_F(PoolTest, MisuseNamesIndexAndComponent) {
  add(41, 0);
  const Entity twice[] = {{41, 1}};
  EXPECT_FALSE(pool.make_room(41).is_free());
  EXPECT_DEATH(pool.make_room(twice), "entity 41.1 already has component Fog");
  EXPECT_DEATH(pool.remove(42), "index 42 has no component Fog");
  EXPECT_DEATH(pool.remove(1 << 20), "index 1048576 has no component Fog");
}

TEST_F(PoolTest, APositionOutsideThePoolIsNamed) {
  add(41, 0);
  EXPECT_DEATH(static_cast<void>(pool.at(1)), "position 1 is outside pool Fog, which holds 1 components");
  EXPECT_DEATH(static_cast<void>(pool.at_mutable(Pool::none)), "position 4294967295 is outside pool Fog");
  EXPECT_DEATH(pool.swap(0, 100'000), "position 100000 is outside pool Fog");
  EXPECT_DEATH(pool.swap(100'000, 0), "position 100000 is outside pool Fog");
  EXPECT_DEATH(pool.mark_changed(1), "position 1 is outside pool Fog");
  EXPECT_DEATH(static_cast<void>(pool.slab_begin(1)), "position 64 is outside pool Fog");
}

TEST_F(PoolTest, ACommitWithoutRoomIsNamed) {
  EXPECT_DEATH(pool.commit(7), "pool Fog has no room for index 7: call make_room first");
  add(41, 0);
  EXPECT_DEATH(pool.commit(1 << 20), "pool Fog has no room for index 1048576");
  EXPECT_DEATH(pool.commit(41), "index 41 is added to Fog twice");
}

TEST_F(PoolTest, AGameCannotClearOrFillAPool) {
  const core::LogScope about({.running = "Game::tick"});
  EXPECT_DEATH(pool.clear(), "pool Fog is cleared");
  EXPECT_DEATH(pool.assign({}, nullptr), "pool Fog is filled");
}

TEST(Pool, RefusesAnImpossibleLayout) {
  struct alignas(128) TooWide {
    char byte;
  };
  const ComponentType wide = server_only_component_type<TooWide>();
  const ComponentType type = bytes_type(4);
  const Tick now = 1;
  EXPECT_DEATH(Pool(0, wide, wide.id, "x", now, {}), "aligned to 64 bytes");
  EXPECT_DEATH(Pool(0, type, type.id, "x", now, {.sparse_page_shift = 13}), "at most 4096 indices");
}

}  // namespace
}  // namespace mobula::ecs

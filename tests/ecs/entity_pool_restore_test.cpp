// Pools restored from images, intact and with each byte damaged.
#include <gtest/gtest.h>

#include <mobula/ecs/entity_pool.hpp>
#include <set>
#include <utility>

#include "ecs/entity_pool_image.hpp"
#include <seeds.hpp>

namespace mobula::ecs {
namespace {

using test::same_bytes;
using test::Saved;

constexpr PrototypeId prototypes = 16;

// Builds a pool with living, free and retired indices; ranges that live, have gaps, are free (two of one size) and
// retired; prototypes.
EntityPool varied(const EntityPoolConfig& config) {
  EntityPool pool(config);
  std::vector<Entity> singles(9);
  EXPECT_TRUE(pool.create(singles, 3));
  const EntityRange holed = pool.create_range(3, 4);
  const EntityRange dead = pool.create_range(2);
  const EntityRange dead_too = pool.create_range(2);
  pool.create_range(1, 15);
  pool.destroy(holed.at(1));
  pool.destroy_range(dead_too);
  pool.destroy_range(dead);
  for (const std::uint32_t i : {6u, 1u, 4u}) pool.destroy(singles[i]);
  for (int i = 0; i < 20; ++i) pool.destroy(pool.create());
  for (std::uint32_t i = 0; i < 3; ++i) pool.destroy_range(pool.create_range(4));
  return pool;
}

TEST(EntityPool, RestoredPoolContinuesLikeTheSavedOne) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 5, .reuse_bits = 3, .entities_max = 60};
    EntityPool pool = varied(config);
    auto loaded = EntityPool::restore(config, Saved(pool).image(), prototypes);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->size(), pool.size());
    EXPECT_EQ(loaded->retired(), pool.retired());
    for (std::uint32_t step = 0; step < 60; ++step) {
      const std::uint32_t count = 1 + step % 4;
      const EntityRange range = pool.create_range(count);
      ASSERT_EQ(loaded->create_range(count), range);
      const Entity entity = pool.create();
      ASSERT_EQ(loaded->create(), entity);
      if (step % 3 == 0 && entity) pool.destroy(entity), loaded->destroy(entity);
      if (step % 2 == 0) pool.destroy_range(range), loaded->destroy_range(range);
    }
    EXPECT_TRUE(same_bytes(pool, *loaded));
    loaded->check();
  }
}

// An image of the living entities and the ranges suffices.
TEST(EntityPool, ImageOfTheLivingRestoresThemAndFreesTheRest) {
  EntityPoolConfig config{.recycling = Recycling::queue, .incarnation = 5, .reuse_bits = 3, .entities_max = 60};
  const EntityPool pool = varied(config);
  std::vector<LivingEntity> living;
  pool.each([&](Entity entity) { living.push_back({entity, pool.prototype(entity.index)}); });
  const Saved saved(pool);
  std::vector<EntityRange> ranges;
  for (const EntityRangeSlot& slot : saved.ranges) ranges.push_back(slot.range);
  ++config.incarnation;
  EntityPoolImageRoom room;
  const auto image = EntityPool::image_of(config, living, {}, ranges, room);
  ASSERT_TRUE(image.ok()) << image.error().message;
  auto restored = EntityPool::restore(config, *image, prototypes);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  restored->check();
  EXPECT_EQ(restored->size(), pool.size());
  EXPECT_EQ(restored->retired(), 0u);
  for (const LivingEntity& each : living) {
    EXPECT_TRUE(restored->valid(each.entity));
    EXPECT_EQ(restored->prototype(each.entity.index), each.prototype);
  }
  std::set<Entity> made;
  for (const std::uint32_t count : {4u, 2u, 2u}) ASSERT_LT(restored->create_range(count).first, pool.index_end());
  while (const Entity entity = restored->create()) {
    EXPECT_GE(entity.generation, 6u << 3);
    made.insert(entity);
  }
  EXPECT_GT(made.size(), 5u);
  restored->check();
}

TEST(EntityPool, ImageOfImpossibleEntitiesIsRefused) {
  const EntityPoolConfig config{.recycling = Recycling::queue, .incarnation = 2, .reuse_bits = 3, .entities_max = 20};
  const auto reason = [&](std::vector<LivingEntity> living, std::vector<EntityRange> ranges) -> std::string {
    EntityPoolImageRoom room;
    const auto image = EntityPool::image_of(config, living, {}, ranges, room);
    if (!image) return image.error().reason;
    const auto restored = EntityPool::restore(config, *image, prototypes);
    return restored ? "" : restored.error().reason;
  };
  EXPECT_EQ(reason({{{3, 9}, 1}, {{4, 17}, 2}}, {{4, 1, 17}}), "");
  EXPECT_EQ(reason({{{20, 9}, 1}}, {}), "too many entities");
  EXPECT_EQ(reason({}, {{19, 2, 9}}), "too many entities");
  EXPECT_EQ(reason({}, {{~0u, ~0u, 9}}), "too many entities");
  for (const auto& living : std::vector<std::vector<LivingEntity>>{
           {{{3, 0}, 1}}, {{{3, 8}, 1}}, {{{3, 25}, 1}}, {{{3, 9}, prototypes}}, {{{3, 9}, ~0u}}})
    EXPECT_EQ(reason(living, {}), "damaged snapshot") << living[0].entity.generation;
  EXPECT_EQ(reason({{{3, 9}, 1}, {{4, 10}, 1}}, {{3, 2, 9}}), "damaged snapshot") << "two generations in a range";
  EXPECT_EQ(reason({}, {{3, 4, 0}, {5, 2, 0}}), "damaged snapshot") << "two ranges of one index";
  EXPECT_EQ(reason({}, {{5, 2, 0}, {3, 1, 0}}), "damaged snapshot") << "not by first index";
  EXPECT_EQ(reason({}, {{3, 0, 0}}), "damaged snapshot");
}

TEST(EntityPool, NewIncarnationKeepsTheLivingAndCreatesNewHandles) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    EntityPoolConfig config{.recycling = recycling, .incarnation = 5, .reuse_bits = 2, .entities_max = 40};
    EntityPool old({.recycling = recycling, .incarnation = 5, .reuse_bits = 2, .entities_max = 40});
    std::vector<Entity> singles(4);
    ASSERT_TRUE(old.create(singles));
    const EntityRange level = old.create_range(3);
    for (int round = 0; round < 3; ++round) old.destroy_range(old.create_range(5));
    old.destroy(singles[2]);
    for (Entity entity = old.create(); entity.index == 2; entity = old.create()) {
      old.destroy(entity);
      if (entity.generation == (5 << 2 | 3)) break;
    }
    EXPECT_EQ(old.retired(), recycling == Recycling::queue ? 6u : 0u);

    config.incarnation = 6;
    auto restored = EntityPool::restore(config, Saved(old).image(), prototypes);
    ASSERT_TRUE(restored.ok());
    EntityPool& pool = restored.value();
    pool.check();
    EXPECT_EQ(pool.retired(), 0u) << "indices retired under the old incarnation are free again";
    for (const Entity entity : old) EXPECT_TRUE(pool.valid(entity));
    EXPECT_EQ(pool.create(), (Entity{2, 6 << 2 | 1}));
    EXPECT_EQ(pool.create_range(5).generation, 6u << 2 | 1u);

    const Entity ghost = singles[0];  // in a lost future clients may have seen its successor of incarnation 5
    pool.destroy(ghost);
    EXPECT_EQ(pool.create(), (Entity{0, 6 << 2 | 1}));
    pool.destroy_range(level);
    EXPECT_EQ(pool.create_range(3), (EntityRange{level.first, 3, 6 << 2 | 1}));
    pool.check();
    EXPECT_FALSE(EntityPool::restore(old.config(), Saved(pool).image(), prototypes).ok())
        << "an incarnation never goes back";
  }
}

TEST(EntityPool, ImageOfAnotherConfigIsRefusedWithTheReason) {
  const EntityPoolConfig saved{.incarnation = 2, .reuse_bits = 2, .entities_max = 100};
  EntityPool pool(saved);
  std::vector<Entity> entities(10);
  ASSERT_TRUE(pool.create(entities));
  const auto refusal = [&](const EntityPoolConfig& config) -> std::string {
    const auto restored = EntityPool::restore(config, Saved(pool).image(), 1);
    return restored.ok() ? "" : restored.error().reason + (": " + restored.error().message);
  };
  EXPECT_EQ(refusal(saved), "");
  EXPECT_EQ(refusal({.incarnation = 3, .reuse_bits = 2, .entities_max = 10}), "");
  for (const Recycling recycling : {Recycling::lifo, Recycling::given})
    EXPECT_EQ(refusal({.recycling = recycling, .incarnation = 2, .reuse_bits = 2}),
              "other recycling: its recycling policy differs from this world's");
  EXPECT_EQ(refusal({.incarnation = 2, .reuse_bits = 3}),
            "other reuse bits: its generations have 2 reuse bits, this world's have 3");
  EXPECT_EQ(refusal({.incarnation = 1, .reuse_bits = 2}),
            "later incarnation: its incarnation 2 is later than this world's 1");
  EXPECT_EQ(refusal({.incarnation = 2, .reuse_bits = 2, .entities_max = 9}),
            "too many entities: it has 10 indices, this world has room for 9");
}

struct Damage {
  const char* name;
  void (*apply)(Saved& saved);
};

constexpr std::uint32_t no_index = (1u << 29) - 1;

// Applied to an image of a pool with 6 single indices, of which 3 are free, a range with one entity and two free
// ranges.
constexpr Damage damages[] = {
    {"no policy", [](Saved& s) { s.numbers.recycling = 3; }},
    {"no bits", [](Saved& s) { s.numbers.reuse_bits = 0; }},
    {"more bits than there are", [](Saved& s) { s.numbers.reuse_bits = 33; }},
    {"an incarnation of all bits", [](Saved& s) { s.numbers.incarnation = 1u << 30; }},
    {"an earlier incarnation than its generations", [](Saved& s) { s.numbers.incarnation = 0; }},
    {"a head outside", [](Saved& s) { s.numbers.free_head = 12; }},
    {"a head that lives", [](Saved& s) { s.numbers.free_head = 0; }},
    {"a head in the middle", [](Saved& s) { s.numbers.free_head = 3; }},
    {"no head", [](Saved& s) { s.numbers.free_head = no_index; }},
    {"neither head nor tail", [](Saved& s) { s.numbers.free_head = s.numbers.free_tail = no_index; }},
    {"a wrong tail", [](Saved& s) { s.numbers.free_tail = 3; }},
    {"no tail", [](Saved& s) { s.numbers.free_tail = no_index; }},
    {"a circle", [](Saved& s) { s.slots[4].state = 1u << 31 | 1; }},
    {"a circle of one", [](Saved& s) { s.slots[1].state = 1u << 31 | 1; }},
    {"a short list", [](Saved& s) { s.slots[1].state = 1u << 31 | 4; }},
    {"a link into a range", [](Saved& s) { s.slots[4].state = 1u << 31 | 7; }},
    {"a link outside", [](Saved& s) { s.slots[4].state = 1u << 31 | 5000; }},
    {"a prototype nobody has", [](Saved& s) { s.slots[0].state = 1; }},
    {"a living entity without a generation", [](Saved& s) { s.slots[0].generation = 0; }},
    {"a used up generation", [](Saved& s) { s.slots[0].generation = 4; }},
    {"a generation of the future", [](Saved& s) { s.slots[0].generation = 9; }},
    {"a next generation of the past", [](Saved& s) { s.slots[1].generation = 3; }},
    {"a next generation of the future", [](Saved& s) { s.slots[1].generation = 9; }},
    {"a retired index in the free list", [](Saved& s) { s.slots[4].generation = 0; }},
    {"a dead index nobody has", [](Saved& s) { s.slots[0].state = 1u << 31 | no_index; }},
    {"a range bit out of ranges", [](Saved& s) { s.slots[0].state = 1u << 30; }},
    {"a ghost without the range bit", [](Saved& s) { s.slots[0].state = 1u << 29; }},
    {"a free index with the ghost bit", [](Saved& s) { s.slots[1].state |= 1u << 29; }},
    {"fewer own indices", [](Saved& s) { --s.numbers.fresh; }},
    {"more own indices", [](Saved& s) { ++s.numbers.fresh; }},
    {"no range bit in a range", [](Saved& s) { s.slots[6].state = 0; }},
    {"a range's prototype nobody has", [](Saved& s) { s.slots[6].state = 1u << 30 | 1; }},
    {"a generation apart from its range's", [](Saved& s) { s.slots[6].generation = 6; }},
    {"a miscounted range", [](Saved& s) { s.ranges[0].alive = 2; }},
    {"a living range in a list", [](Saved& s) { s.ranges[0].next = 1; }},
    {"a range of nothing", [](Saved& s) { s.ranges[0].range.count = 0; }},
    {"a range too long", [](Saved& s) { s.ranges[2].range.count = 0xffffffff; }},
    {"a range too far", [](Saved& s) { s.ranges[2].range.first = 0xfffffff0; }},
    {"ranges that overlap", [](Saved& s) { s.ranges[1].range.first = 7; }},
    {"ranges in disorder", [](Saved& s) { std::swap(s.ranges[0], s.ranges[1]); }},
    {"a range less", [](Saved& s) { s.ranges.pop_back(); }},
    {"a range's old generation", [](Saved& s) { s.ranges[1].range.generation = 3; }},
    {"a free range retired", [](Saved& s) { s.ranges[1].range.generation = 0; }},
    {"a circle of ranges", [](Saved& s) { s.ranges[1].next = 1; }},
    {"a link to no range", [](Saved& s) { s.ranges[1].next = 3; }},
    {"a link to a range of another size", [](Saved& s) { s.ranges[1].next = 2; }},
    {"a range in no list", [](Saved& s) { s.lists[2].head = s.lists[2].tail = no_index; }},
    {"a wrong tail of a range list", [](Saved& s) { s.lists[2].tail = no_index; }},
    {"a living range as head", [](Saved& s) { s.lists[1].head = s.lists[1].tail = 0; }},
    {"a list less", [](Saved& s) { s.lists.pop_back(); }},
    {"a list of no size that is", [](Saved& s) { s.lists.push_back({77, no_index, no_index}); }},
    {"lists in disorder", [](Saved& s) { std::swap(s.lists[0], s.lists[1]); }},
    {"a slot less", [](Saved& s) { s.slots.pop_back(); }},
    {"a slot more", [](Saved& s) { s.slots.push_back({0, 0}); }},
};

TEST(EntityPool, EveryKindOfDamageIsRefused) {
  const EntityPoolConfig config{.incarnation = 1, .reuse_bits = 2, .entities_max = 100};
  EntityPool pool(config);
  std::vector<Entity> singles(6);
  ASSERT_TRUE(pool.create(singles));               // 0 … 5
  const EntityRange level = pool.create_range(2);  // 6 … 7
  pool.destroy_range(pool.create_range(3));        // 8 … 10, free
  pool.destroy_range(pool.create_range(1));        // 11, free
  pool.destroy(level.at(1));
  for (const std::uint32_t i : {1u, 3u, 4u}) pool.destroy(singles[i]);
  ASSERT_TRUE(EntityPool::restore(config, Saved(pool).image(), 1).ok());
  for (const auto& [name, apply] : damages) {
    Saved saved(pool);
    apply(saved);
    const auto restored = EntityPool::restore(config, saved.image(), 1);
    ASSERT_FALSE(restored.ok()) << name;
    EXPECT_STREQ(restored.error().reason, "damaged snapshot");
    EXPECT_FALSE(restored.error().message.empty());
  }
}

// Under `lifo` and `given` some shapes are invalid that a queue may have.
TEST(EntityPool, StateThatAPolicyCannotReachIsRefused) {
  const EntityPoolConfig lifo{.recycling = Recycling::lifo};
  EntityPool pool(lifo);
  pool.create();
  pool.destroy(pool.create());
  Saved retired(pool);
  retired.slots[0] = {0, 1u << 31 | no_index};
  EXPECT_FALSE(EntityPool::restore(lifo, retired.image(), 1).ok());
  Saved abroad(pool);
  abroad.slots[0].state = 1u << 31 | 1u << 30;
  EXPECT_FALSE(EntityPool::restore(lifo, abroad.image(), 1).ok());
  Saved ghost(pool);
  ghost.slots[0].state = 1u << 30 | 1u << 29;
  EXPECT_FALSE(EntityPool::restore(lifo, ghost.image(), 1).ok());
  EntityPool pool_with_range(lifo);
  pool_with_range.create_range(2);
  Saved ghost_in_range(pool_with_range);
  ASSERT_TRUE(EntityPool::restore(lifo, ghost_in_range.image(), 1).ok());
  ghost_in_range.slots[1].state |= 1u << 29;
  EXPECT_FALSE(EntityPool::restore(lifo, ghost_in_range.image(), 1).ok());
  Saved tail(pool);
  tail.numbers.free_tail = 1;
  EXPECT_FALSE(EntityPool::restore(lifo, tail.image(), 1).ok());

  const EntityPoolConfig given{.recycling = Recycling::given};
  Saved ranges(EntityPool{given});
  ranges.slots.push_back({1, 1u << 30});
  ranges.ranges.push_back({{0, 1, 1}, 1, no_index});
  ranges.lists.push_back({1, no_index, no_index});
  EXPECT_FALSE(EntityPool::restore(given, ranges.image(), 1).ok());
  Saved free(EntityPool{given});
  free.slots.push_back({1, 1u << 31 | no_index});
  free.numbers.free_head = free.numbers.free_tail = 0;
  EXPECT_FALSE(EntityPool::restore(given, free.image(), 1).ok());
}

void use(EntityPool& pool) {
  pool.check();
  const std::vector<Entity> living(pool.begin(), pool.end());
  std::set<Entity> made;
  std::vector<EntityRange> ranges;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Entity entity = pool.create();
    EXPECT_TRUE(!entity || made.insert(entity).second);
    ranges.push_back(pool.create_range(1 + i % 4));
  }
  for (const Entity entity : living) EXPECT_FALSE(made.contains(entity));
  pool.check();
  for (const EntityRange& range : ranges) pool.destroy_range(range);
  pool.destroy(living);
  pool.check();
}

TEST(EntityPool, ImageWithAChangedByteIsRefusedOrConsistent) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 2, .reuse_bits = 2, .entities_max = 64};
    const EntityPool pool = varied(config);
    int refused = 0;
    int accepted = 0;
    const auto flip = [&](auto part) {
      Saved saved(pool);
      const std::span<std::byte> bytes = part(saved);
      for (std::byte& byte : bytes) {
        const std::byte before = byte;
        for (std::uint64_t value = 0; value < 256; value += mobula::test::few_or_all(5, 1)) {
          byte = static_cast<std::byte>(value);
          for (const std::uint32_t incarnation : {2u, 3u}) {
            EntityPoolConfig now = config;
            now.incarnation = incarnation;
            auto restored = EntityPool::restore(now, saved.image(), prototypes);
            (restored.ok() ? accepted : refused) += 1;
            if (restored.ok()) use(restored.value());
          }
        }
        byte = before;
      }
    };
    flip([](Saved& s) { return std::as_writable_bytes(std::span(&s.numbers.recycling, 1)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(&s.numbers.incarnation, 1)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(&s.numbers.reuse_bits, 1)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(&s.numbers.free_head, 1)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(&s.numbers.free_tail, 1)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(s.slots)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(s.ranges)); });
    flip([](Saved& s) { return std::as_writable_bytes(std::span(s.lists)); });
    EXPECT_GT(refused, accepted);
    EXPECT_GT(accepted, 0);
  }
}

}  // namespace
}  // namespace mobula::ecs

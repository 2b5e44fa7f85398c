// The pool beside a naive model that predicts every handle (lists, maps and sets in the plainest way), and images
// of it with each byte damaged.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <set>
#include <string>

namespace mobula::ecs {
namespace {

static_assert(std::forward_iterator<EntityPool::Iterator>);

constexpr PrototypeId prototypes = 16;

std::string link(std::uint32_t index) { return index == (1u << 30) - 1 ? "-" : std::to_string(index); }

// One word per slot: `3` alive in generation 3, `>5:2` free: 5 is free after it and its next generation is 2, `x`
// nobody's; then head and tail of the free list.
std::string drawn(const EntityPool& pool) {
  std::string text;
  for (const EntitySlot& slot : pool.image().slots) {
    const std::string next = link(slot.state & ((1u << 30) - 1));
    if (slot.state >> 31 == 0) {
      text += std::to_string(slot.generation);
    } else {
      text += slot.generation == 0 ? "x" : '>' + next + ':' + std::to_string(slot.generation);
    }
    text += ' ';
  }
  return text + "| " + link(pool.image().free_head) + ' ' + link(pool.image().free_tail);
}

// An image in memory of its own, to be damaged.
struct Saved {
  EntityPoolImage numbers;
  std::vector<EntitySlot> slots;
  std::vector<EntityRangeSlot> ranges;
  std::vector<EntityRangeList> lists;

  explicit Saved(const EntityPool& pool)
      : numbers(pool.image()),
        slots(numbers.slots.begin(), numbers.slots.end()),
        ranges(numbers.ranges.begin(), numbers.ranges.end()),
        lists(numbers.free_range_lists.begin(), numbers.free_range_lists.end()) {}

  [[nodiscard]] EntityPoolImage image() const {
    EntityPoolImage image = numbers;
    image.slots = slots;
    image.ranges = ranges;
    image.free_range_lists = lists;
    return image;
  }
};

bool same_bytes(const EntityPoolImage& a, const EntityPoolImage& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0);
  };
  return a.recycling == b.recycling && a.incarnation == b.incarnation && a.reuse_bits == b.reuse_bits &&
         a.free_head == b.free_head && a.free_tail == b.free_tail && same(a.slots, b.slots) &&
         same(a.ranges, b.ranges) && same(a.free_range_lists, b.free_range_lists);
}

class Model {
 public:
  explicit Model(EntityPoolConfig config) : config_(config) {}

  std::map<std::uint32_t, Entity> living;

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::uint32_t room() const { return config_.index_limit - end_; }
  [[nodiscard]] std::uint32_t retired() const {
    std::size_t count = retired_.size();
    for (const Range& range : ranges_) count += range.next == 0 ? range.count : 0;
    return static_cast<std::uint32_t>(count);
  }

  Entity create() {
    if (free_.empty() && room() == 0) return null_entity;
    Entity entity{end_, first_generation()};
    if (free_.empty()) {
      ++end_;
    } else {
      entity = free_.front();
      free_.pop_front();
    }
    living[entity.index] = entity;
    return entity;
  }

  void destroy(Entity entity) {
    living.erase(entity.index);
    for (Range& range : ranges_)
      if (range.alive.erase(entity.index) > 0) return died(range);
    const std::uint32_t next = generation_after(entity.generation);
    if (next == 0) {
      retired_.insert(entity.index);
    } else {
      free_.insert(config_.recycling == Recycling::lifo ? free_.begin() : free_.end(), {entity.index, next});
    }
  }

  EntityRange create_range(std::uint32_t count) {
    std::deque<std::size_t>& waiting = free_ranges_[count];
    if (waiting.empty() && room() < count) return {};
    if (waiting.empty()) {
      ranges_.push_back({end_, count, first_generation(), first_generation(), {}});
      waiting.push_back(ranges_.size() - 1);
      end_ += count;
    }
    Range& range = ranges_[waiting.front()];
    waiting.pop_front();
    range.generation = range.next;
    const EntityRange made{range.first, count, range.generation};
    for (std::uint32_t i = 0; i < count; ++i) {
      range.alive.insert(range.first + i);
      living[range.first + i] = made.at(i);
    }
    return made;
  }

  void destroy_range(const EntityRange& range) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const auto found = living.find(range.first + i);
      if (found != living.end() && found->second == range.at(i)) destroy(range.at(i));
    }
  }

  void restart(std::uint32_t incarnation) {
    config_.incarnation = incarnation;
    for (const std::uint32_t index : retired_) free_.push_back({index, 0});
    for (Entity& entity : free_) entity.generation = first_generation();
    retired_.clear();
    for (Range& range : ranges_) {
      if (!range.alive.empty()) continue;
      if (range.next == 0) free_ranges_[range.count].push_back(static_cast<std::size_t>(&range - ranges_.data()));
      range.next = first_generation();
    }
  }

 private:
  struct Range {
    std::uint32_t first, count, generation, next;
    std::set<std::uint32_t> alive;
  };

  [[nodiscard]] std::uint32_t first_generation() const { return (config_.incarnation << config_.reuse_bits) + 1; }
  [[nodiscard]] std::uint32_t generation_after(std::uint32_t generation) const {
    if (generation >> config_.reuse_bits < config_.incarnation) return first_generation();
    const std::uint32_t reuse = generation % (1u << config_.reuse_bits);
    if (reuse + 1 < 1u << config_.reuse_bits) return generation + 1;
    return config_.recycling == Recycling::lifo ? first_generation() : 0;
  }
  void died(Range& range) {
    if (!range.alive.empty()) return;
    range.next = generation_after(range.generation);
    if (range.next == 0) return;
    std::deque<std::size_t>& waiting = free_ranges_[range.count];
    waiting.insert(config_.recycling == Recycling::lifo ? waiting.begin() : waiting.end(),
                   static_cast<std::size_t>(&range - ranges_.data()));
  }

  EntityPoolConfig config_;
  std::uint32_t end_ = 0;
  std::deque<Entity> free_;  // as they will be handed out
  std::set<std::uint32_t> retired_;
  std::vector<Range> ranges_;
  std::map<std::uint32_t, std::deque<std::size_t>> free_ranges_;
};

TEST(EntityPool, FreeIndicesFormAQueue) {
  EntityPool pool;
  const Entity a = pool.create();
  const Entity b = pool.create();
  const Entity c = pool.create();
  EXPECT_EQ(c.index, 2u);
  pool.destroy(b);
  pool.destroy(a);
  EXPECT_EQ(pool.create(), (Entity{b.index, b.generation + 1}));
  EXPECT_EQ(pool.create(), (Entity{a.index, a.generation + 1}));
  EXPECT_EQ(pool.create().index, 3u);
  pool.check();
}

// The sparse-set text's account of the free list, with generations that start at 1 instead of 0.
TEST(EntityPool, TheSparseSetTextsExampleGoesEnTTsWay) {
  EntityPool pool({.recycling = Recycling::lifo, .reuse_bits = 2});
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(pool.create(), (Entity{i, 1}));
  EXPECT_EQ(drawn(pool), "1 1 1 1 | - -");
  pool.destroy({1, 1});  // the first to die ends the list
  EXPECT_EQ(drawn(pool), "1 >-:2 1 1 | 1 -");
  pool.destroy({3, 1});  // the next one links to it: only the head is kept
  EXPECT_EQ(drawn(pool), "1 >-:2 1 >1:2 | 3 -");
  pool.destroy({0, 1});
  EXPECT_EQ(drawn(pool), ">3:2 >-:2 1 >1:2 | 0 -");
  EXPECT_EQ(pool.create(), (Entity{0, 2}));  // last out, first in
  EXPECT_EQ(drawn(pool), "2 >-:2 1 >1:2 | 3 -");
  EXPECT_EQ(pool.create(), (Entity{3, 2}));
  EXPECT_EQ(pool.create(), (Entity{1, 2}));
  EXPECT_EQ(drawn(pool), "2 2 1 2 | - -");
  EXPECT_EQ(pool.create(), (Entity{4, 1}));  // none is free: a new slot
  pool.destroy({3, 2});
  EXPECT_EQ(pool.create(), (Entity{3, 3}));
  pool.destroy({3, 3});
  EXPECT_EQ(drawn(pool), "2 2 1 >-:1 1 | 3 -") << "after the last version comes the first again";
  EXPECT_EQ(pool.create(), (Entity{3, 1})) << "and with it the old handle";
  pool.check();
}

TEST(EntityPool, TheSparseSetTextsExampleGoesShipyardsWay) {
  EntityPool pool({.reuse_bits = 2});
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(pool.create(), (Entity{i, 1}));
  EXPECT_EQ(drawn(pool), "1 1 1 | - -");
  pool.destroy({0, 1});  // one deleted: it is the oldest and the newest
  EXPECT_EQ(drawn(pool), ">-:2 1 1 | 0 0");
  pool.destroy({1, 1});  // the newest so far links to it: the list runs from the oldest to the newest
  EXPECT_EQ(drawn(pool), ">1:2 >-:2 1 | 0 1");
  EXPECT_EQ(pool.create(), (Entity{0, 2}));  // taken from the other end than added to
  EXPECT_EQ(drawn(pool), "2 >-:2 1 | 1 1");
  pool.destroy({0, 2});
  EXPECT_EQ(drawn(pool), ">-:3 >0:2 1 | 1 0");
  EXPECT_EQ(pool.create(), (Entity{1, 2}));
  EXPECT_EQ(pool.create(), (Entity{0, 3}));
  EXPECT_EQ(drawn(pool), "3 2 1 | - -");
  pool.destroy({0, 3});  // its versions are used up: not linked, dead for ever
  EXPECT_EQ(drawn(pool), "x 2 1 | - -");
  EXPECT_EQ(pool.create(), (Entity{3, 1}));
  EXPECT_EQ(pool.retired(), 1u);
  pool.check();
}

TEST(EntityPool, UnderQueueEveryIndexIsRetiredAfterItsLastGenerationAndNoHandleComesTwice) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    SCOPED_TRACE(bits);
    constexpr std::uint32_t limit = 5;
    EntityPool pool({.incarnation = 2, .reuse_bits = bits, .index_limit = limit});
    std::set<Entity> seen;
    std::vector<Entity> living;
    for (;;) {
      while (const Entity entity = pool.create()) {
        EXPECT_TRUE(seen.insert(entity).second) << to_string(entity) << " came back";
        EXPECT_EQ(entity.generation >> bits, 2u);
        living.push_back(entity);
      }
      if (living.empty()) break;
      pool.destroy(living);
      living.clear();
      pool.check();
    }
    EXPECT_EQ(seen.size(), limit * ((1u << bits) - 1)) << "every generation of every index was used";
    EXPECT_EQ(pool.retired(), limit);
    EXPECT_EQ(pool.size(), 0u);
    for (const Entity entity : seen) EXPECT_FALSE(pool.valid(entity));
    for (std::uint32_t index = 0; index < limit; ++index) EXPECT_FALSE(pool.valid({index, 0}));
  }
}

TEST(EntityPool, UnderLifoHandlesRepeatExactlyAfterTheWrapAndNothingIsRetired) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    SCOPED_TRACE(bits);
    constexpr std::uint32_t limit = 5;
    const std::uint32_t period = (1u << bits) - 1;
    EntityPool pool({.recycling = Recycling::lifo, .incarnation = 2, .reuse_bits = bits, .index_limit = limit});
    std::vector<std::set<Entity>> rounds;
    for (std::uint32_t round = 0; round < 3 * period; ++round) {
      std::vector<Entity> living(limit);
      ASSERT_TRUE(pool.create(living));
      EXPECT_FALSE(pool.create());
      rounds.emplace_back(living.begin(), living.end());
      pool.destroy(living);
      pool.check();
    }
    std::set<Entity> seen;
    for (std::uint32_t round = 0; round < period; ++round) seen.insert(rounds[round].begin(), rounds[round].end());
    EXPECT_EQ(seen.size(), limit * period) << "no repeat before the wrap";
    for (const Entity entity : seen) EXPECT_EQ(entity.generation >> bits, 2u);
    for (std::size_t round = period; round < rounds.size(); ++round) EXPECT_EQ(rounds[round], rounds[round - period]);
    EXPECT_EQ(pool.retired(), 0u);
  }
}

TEST(EntityPool, GenerationsOfAllBitsAreRetiredAndWrapToo) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 4095, .reuse_bits = 20};
    EntityPool young(config);
    young.create();
    Saved saved(young);
    saved.slots[0].generation = 0xffffffff;
    auto pool = EntityPool::restore(config, saved.image(), prototypes);
    ASSERT_TRUE(pool.ok());
    pool->destroy({0, 0xffffffff});
    pool->check();
    EXPECT_EQ(pool->create(), recycling == Recycling::lifo ? (Entity{0, 0xfff00001}) : (Entity{1, 0xfff00001}));
  }
  EntityPool whole({.reuse_bits = 32});
  whole.destroy(whole.create());
  EXPECT_EQ(whole.create(), (Entity{0, 2}));
  whole.check();
}

TEST(EntityPool, RangesAreRetiredUnderQueueAndWrapUnderLifo) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    const std::uint32_t period = (1u << bits) - 1;
    EntityPool queue({.reuse_bits = bits, .index_limit = 3});
    EntityPool lifo({.recycling = Recycling::lifo, .reuse_bits = bits, .index_limit = 3});
    for (std::uint32_t round = 0; round < 2 * period; ++round) {
      const EntityRange under_queue = queue.create_range(3);
      EXPECT_EQ(under_queue, round < period ? (EntityRange{0, 3, round + 1}) : EntityRange{});
      queue.destroy_range(under_queue);
      const EntityRange under_lifo = lifo.create_range(3);
      EXPECT_EQ(under_lifo, (EntityRange{0, 3, round % period + 1}));
      lifo.destroy_range(under_lifo);
      queue.check();
      lifo.check();
    }
    EXPECT_EQ(queue.retired(), 3u);
    EXPECT_EQ(lifo.retired(), 0u);
  }
}

TEST(EntityPool, TheIncarnationIsTheTopOfEveryGeneration) {
  EntityPool pool({.incarnation = 7});
  const Entity first = pool.create();
  EXPECT_EQ(first.generation >> 20, 7u);
  pool.destroy(first);
  EXPECT_EQ(pool.create().generation, first.generation + 1);
  EXPECT_EQ(pool.create_range(3).generation >> 20, 7u);
}

TEST(EntityPool, TheHandleADeadIndexWillGetNextIsNotValidYet) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    EntityPool pool({.recycling = recycling});
    const Entity entity = pool.create();
    pool.destroy(entity);
    EXPECT_FALSE(pool.valid(entity));
    EXPECT_FALSE(pool.valid({entity.index, entity.generation + 1}));
    EXPECT_FALSE(pool.valid(null_entity));
    EXPECT_FALSE(pool.valid({12345, 1}));
    EXPECT_EQ(pool.at(entity.index), null_entity);
  }
}

TEST(EntityPool, ARangeIsRecycledWholeAndNeverLentToSingleCreates) {
  EntityPool pool;
  const EntityRange level = pool.create_range(100);
  for (std::uint32_t i = 0; i < level.count; ++i) EXPECT_TRUE(pool.valid(level.at(i)));
  pool.destroy(level.at(50));
  EXPECT_EQ(pool.create().index, 100u) << "a hole in a living range is not lent";
  EXPECT_EQ(pool.create_range(1).first, 101u);
  pool.destroy_range(level);
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool.create().index, 102u);
  const EntityRange again = pool.create_range(100);
  EXPECT_EQ(again, (EntityRange{level.first, 100, level.generation + 1}));
  EXPECT_FALSE(pool.valid(level.at(0)));
  pool.check();
}

TEST(EntityPool, ARangeWhoseLastEntityDiesAloneIsRecycledToo) {
  EntityPool pool;
  const EntityRange range = pool.create_range(2);
  pool.destroy(range.at(1));
  pool.destroy(range.at(0));
  const EntityRange again = pool.create_range(2);
  EXPECT_EQ(again, (EntityRange{range.first, 2, range.generation + 1}));
  pool.destroy_range(range);
  EXPECT_TRUE(pool.valid(again.at(0))) << "destroying a range that has died touches nobody else";
  pool.check();
}

TEST(EntityPool, ARangeOfNothingIsMadeAndDestroyedWithoutATrace) {
  EntityPool pool;
  const EntityRange nothing = pool.create_range(0);
  EXPECT_NE(nothing.generation, 0u);
  pool.destroy_range(nothing);
  EXPECT_EQ(pool.index_end(), 0u);
  pool.check();
}

TEST(EntityPool, WhenTheIndexSpaceIsUsedUpNothingIsMade) {
  EntityPool pool({.index_limit = 3});
  EXPECT_EQ(pool.create_range(4).count, 0u);
  pool.create_range(2);
  EXPECT_TRUE(pool.create());
  EXPECT_FALSE(pool.create());
  EXPECT_EQ(pool.size(), 3u);
}

TEST(EntityPool, ManyAreMadeFromFreeIndicesFirstOrNotAtAll) {
  EntityPool pool({.index_limit = 5});
  std::vector<Entity> first(3);
  ASSERT_TRUE(pool.create(first, 9));
  EXPECT_EQ(first, (std::vector<Entity>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(pool.prototype(2), 9u);
  pool.destroy(first[1]);
  std::vector<Entity> many(4, Entity{77, 77});
  EXPECT_FALSE(pool.create(many, 8)) << "one free and two new indices are not four";
  EXPECT_EQ(many[0], (Entity{77, 77}));
  EXPECT_EQ(drawn(pool), "1 >-:2 1 | 1 1");
  many.resize(3);
  EXPECT_TRUE(pool.create(many, 8));
  EXPECT_EQ(many, (std::vector<Entity>{{1, 2}, {3, 1}, {4, 1}}));
  for (const Entity entity : many) EXPECT_EQ(pool.prototype(entity.index), 8u);
  EXPECT_TRUE(pool.create(std::span<Entity>{})) << "nobody always fits";
  pool.check();
}

TEST(EntityPool, PrototypesAreKeptPerEntityInAndOutOfRanges) {
  EntityPool pool;
  const EntityRange range = pool.create_range(2, 5);
  const Entity single = pool.create(6);
  pool.change_prototype(range.first + 1, pool.prototype(range.first + 1), 7);
  pool.change_prototype(single.index, pool.prototype(single.index), 8);
  EXPECT_EQ(pool.prototype(range.first), 5u);
  EXPECT_EQ(pool.prototype(range.first + 1), 7u);
  EXPECT_EQ(pool.prototype(single.index), 8u);
  pool.destroy(range.at(1));
  pool.destroy(single);
  EXPECT_EQ(pool.prototype(pool.create().index), 0u);
  EXPECT_EQ(pool.create_range(2).first, 3u) << "still a range, whatever its prototypes were";
  pool.check();
}

TEST(EntityPool, TheLivingAreIteratedAcrossLongStretchesOfTheDead) {
  for (const std::uint32_t stretch : {0u, 1u, 7u, 8u, 9u, 40u}) {
    SCOPED_TRACE(stretch);
    EntityPool pool;
    std::vector<Entity> all(stretch * 3 + 2);
    ASSERT_TRUE(pool.create(all));
    std::vector<Entity> kept;
    for (const Entity entity : all) {
      if (entity.index == stretch || entity.index == stretch * 2 + 1) {
        kept.push_back(entity);
      } else {
        pool.destroy(entity);
      }
    }
    EXPECT_EQ(std::vector<Entity>(pool.begin(), pool.end()), kept);
    std::vector<Entity> met;
    pool.each([&](Entity entity) {
      met.push_back(entity);
      pool.destroy(entity);
    });
    EXPECT_EQ(met, kept);
    EXPECT_EQ(pool.begin(), pool.end());
  }
}

TEST(EntityPool, APoolOfGivenHandlesMakesExactlyThose) {
  EntityPool pool({.recycling = Recycling::given, .index_limit = 1000});
  EXPECT_TRUE(pool.create_given({7, 42}));
  EXPECT_TRUE(pool.valid({7, 42}));
  EXPECT_FALSE(pool.create_given({7, 43})) << "the index is alive";
  EXPECT_FALSE(pool.create_given({1000, 1})) << "beyond the limit";
  EXPECT_FALSE(pool.create_given({3, 0})) << "null";
  EXPECT_FALSE(pool.valid({3, 0}));
  pool.destroy({7, 42});
  EXPECT_TRUE(pool.create_given({7, 41})) << "whoever gives handles knows what they mean";
  EXPECT_TRUE(pool.create_given({999, 0xffffffff}));
  pool.destroy({999, 0xffffffff});
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.retired(), 0u);
  pool.check();
}

// A pool and its model go through the same; the model says what each call must give.
class History {
 public:
  History(EntityPoolConfig config, std::uint64_t seed)
      : config_(config), random_(seed), pool_(config), model_(config) {}

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const std::uint32_t dice = random_.below(1000);
      if (dice < 380) {
        EXPECT_EQ(pool_.create(), model_.create());
      } else if (dice < 430) {
        create_many();
      } else if (dice < 480) {
        create_range();
      } else if (dice < 530) {
        destroy_range();
      } else if (dice < 560) {
        destroy_many();
      } else if (dice < 999) {
        destroy_one();
      } else if (!restart()) {
        return;
      }
      ASSERT_EQ(pool_.size(), model_.living.size());
      if (step % 2048 == 0) compare();
      if (testing::Test::HasFailure()) return;
    }
    compare();
  }

 private:
  Entity any() {
    auto victim = model_.living.lower_bound(random_.below(pool_.index_end() + 1));
    if (victim == model_.living.end()) victim = model_.living.begin();
    return victim->second;
  }
  void create_many() {
    std::vector<Entity> made(random_.below(12));
    const bool fits = made.size() <= model_.free() + model_.room();
    ASSERT_EQ(pool_.create(made), fits);
    if (!fits) return;
    for (const Entity entity : made) ASSERT_EQ(entity, model_.create());
  }
  void create_range() {
    const std::uint32_t count = 1 + random_.below(6);
    const EntityRange range = pool_.create_range(count);
    ASSERT_EQ(range, model_.create_range(count));
    if (range.count > 0) ranges_.push_back(range);
  }
  void destroy_range() {  // often one that has died, wholly or in part, or whose indices live another life
    if (ranges_.empty()) return;
    EntityRange& range = ranges_[random_.below(static_cast<std::uint32_t>(ranges_.size()))];
    pool_.destroy_range(range);
    model_.destroy_range(range);
    if (random_.chance(1, 2)) {
      range = ranges_.back();
      ranges_.pop_back();
    }
  }
  void destroy_one() {
    if (model_.living.empty()) return;
    const Entity entity = any();
    pool_.destroy(entity);
    model_.destroy(entity);
    ASSERT_FALSE(pool_.valid(entity));
  }
  void destroy_many() {
    std::vector<Entity> victims;
    for (std::uint32_t count = random_.below(12); count > 0 && !model_.living.empty(); --count) {
      victims.push_back(any());
      model_.destroy(victims.back());
    }
    pool_.destroy(victims);
  }
  bool restart() {
    if (random_.chance(1, 2)) ++config_.incarnation;
    auto loaded = EntityPool::restore(config_, pool_.image(), 1);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
    if (!loaded.ok()) return false;
    if (config_.incarnation == pool_.config().incarnation) {
      EXPECT_TRUE(same_bytes(loaded->image(), pool_.image()));
    } else {
      model_.restart(config_.incarnation);
    }
    pool_ = std::move(loaded.value());
    return true;
  }
  void compare() {
    pool_.check();
    std::vector<Entity> expected;
    for (const auto& [index, entity] : model_.living) expected.push_back(entity);
    EXPECT_EQ(std::vector<Entity>(pool_.begin(), pool_.end()), expected);
    std::vector<Entity> met;
    pool_.each([&](Entity entity) { met.push_back(entity); });
    EXPECT_EQ(met, expected);
    for (const Entity entity : expected) EXPECT_TRUE(pool_.valid(entity));
    EXPECT_EQ(pool_.retired(), model_.retired());
  }

  EntityPoolConfig config_;
  core::Random random_;
  EntityPool pool_;
  Model model_;
  std::vector<EntityRange> ranges_;
};

TEST(EntityPool, RandomHistoriesAgreeWithANaiveModel) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", policy " + std::to_string(static_cast<int>(recycling)));
      History({recycling, 3, 1 + static_cast<std::uint32_t>(seed), 700}, seed).run(50000);
      if (HasFailure()) return;
    }
}

TEST(EntityPool, RandomHistoriesOfGivenHandlesAgreeWithAMap) {
  constexpr EntityPoolConfig config{.recycling = Recycling::given, .index_limit = 300};
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    EntityPool pool(config);
    std::map<std::uint32_t, Entity> living;
    for (int step = 0; step < 100000; ++step) {
      const Entity entity{random.below(310), random.below(4)};
      const bool fits = entity.index < 300 && entity.generation != 0 && !living.contains(entity.index);
      ASSERT_EQ(pool.create_given(entity), fits);
      if (fits) living[entity.index] = entity;
      const auto victim = living.lower_bound(random.below(300));
      if (victim != living.end() && random.chance(1, 2)) {
        pool.destroy(victim->second);
        living.erase(victim);
      }
      if (step % 1024 != 0) continue;
      pool.check();
      auto loaded = EntityPool::restore(config, pool.image(), 1);
      ASSERT_TRUE(loaded.ok());
      ASSERT_TRUE(same_bytes(loaded->image(), pool.image()));
      pool = std::move(loaded.value());
      ASSERT_EQ(pool.size(), living.size());
      for (std::uint32_t index = 0; index < 300; ++index)
        ASSERT_EQ(pool.at(index), living.contains(index) ? living[index] : null_entity);
    }
  }
}

// Alive, free, retired; ranges alive, holed, free (two of a size) and retired; prototypes.
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

TEST(EntityPool, ARestoredPoolGoesOnAsTheOneThatWasSaved) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 5, .reuse_bits = 3, .index_limit = 60};
    EntityPool pool = varied(config);
    auto loaded = EntityPool::restore(config, pool.image(), prototypes);
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
    EXPECT_TRUE(same_bytes(pool.image(), loaded->image()));
    loaded->check();
  }
}

TEST(EntityPool, UnderANewIncarnationTheLivingStayAndOnlyNewHandlesAreHandedOut) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    EntityPoolConfig config{.recycling = recycling, .incarnation = 5, .reuse_bits = 2, .index_limit = 40};
    EntityPool old({.recycling = recycling, .incarnation = 5, .reuse_bits = 2, .index_limit = 40});
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
    auto restored = EntityPool::restore(config, old.image(), prototypes);
    ASSERT_TRUE(restored.ok());
    EntityPool& pool = restored.value();
    pool.check();
    EXPECT_EQ(pool.retired(), 0u) << "what was retired under the old incarnation is free again";
    for (const Entity entity : old) EXPECT_TRUE(pool.valid(entity));
    EXPECT_EQ(pool.create(), (Entity{2, 6 << 2 | 1}));
    EXPECT_EQ(pool.create_range(5).generation, 6u << 2 | 1u);

    const Entity ghost = singles[0];  // in a future that was lost, clients may have seen its successor of incarnation 5
    pool.destroy(ghost);
    EXPECT_EQ(pool.create(), (Entity{0, 6 << 2 | 1}));
    pool.destroy_range(level);
    EXPECT_EQ(pool.create_range(3), (EntityRange{level.first, 3, 6 << 2 | 1}));
    pool.check();
    EXPECT_FALSE(EntityPool::restore(old.config(), pool.image(), prototypes).ok()) << "time does not run backwards";
  }
}

TEST(EntityPool, EveryKindOfDamageIsRefused) {
  constexpr std::uint32_t none = (1u << 30) - 1;
  const EntityPoolConfig config{.incarnation = 1, .reuse_bits = 2, .index_limit = 100};
  EntityPool pool(config);
  std::vector<Entity> singles(6);
  ASSERT_TRUE(pool.create(singles));               // 0 … 5
  const EntityRange level = pool.create_range(2);  // 6 … 7
  pool.destroy_range(pool.create_range(3));        // 8 … 10, free
  pool.destroy_range(pool.create_range(1));        // 11, free
  pool.destroy(level.at(1));
  for (const std::uint32_t i : {1u, 3u, 4u}) pool.destroy(singles[i]);
  ASSERT_TRUE(EntityPool::restore(config, pool.image(), 1).ok());
  using Damage = std::function<void(Saved&)>;
  const std::pair<const char*, Damage> damages[] = {
      {"another policy", [](Saved& s) { s.numbers.recycling = 1; }},
      {"no policy", [](Saved& s) { s.numbers.recycling = 77; }},
      {"other bits", [](Saved& s) { s.numbers.reuse_bits = 3; }},
      {"a later incarnation", [](Saved& s) { s.numbers.incarnation = 2; }},
      {"an earlier incarnation than its generations", [](Saved& s) { s.numbers.incarnation = 0; }},
      {"a head outside", [](Saved& s) { s.numbers.free_head = 12; }},
      {"a head that lives", [](Saved& s) { s.numbers.free_head = 0; }},
      {"a head in the middle", [](Saved& s) { s.numbers.free_head = 3; }},
      {"no head", [](Saved& s) { s.numbers.free_head = none; }},
      {"neither head nor tail", [](Saved& s) { s.numbers.free_head = s.numbers.free_tail = none; }},
      {"a wrong tail", [](Saved& s) { s.numbers.free_tail = 3; }},
      {"no tail", [](Saved& s) { s.numbers.free_tail = none; }},
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
      {"a dead index nobody has", [](Saved& s) { s.slots[0].state = 1u << 31 | none; }},
      {"a range bit out of ranges", [](Saved& s) { s.slots[0].state = 1u << 30; }},
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
      {"a range in no list", [](Saved& s) { s.lists[2].head = s.lists[2].tail = none; }},
      {"a wrong tail of a range list", [](Saved& s) { s.lists[2].tail = none; }},
      {"a living range as head", [](Saved& s) { s.lists[1].head = s.lists[1].tail = 0; }},
      {"a list less", [](Saved& s) { s.lists.pop_back(); }},
      {"a list of no size that is", [](Saved& s) { s.lists.push_back({77, none, none}); }},
      {"lists in disorder", [](Saved& s) { std::swap(s.lists[0], s.lists[1]); }},
      {"a slot less", [](Saved& s) { s.slots.pop_back(); }},
      {"a slot more", [](Saved& s) { s.slots.push_back({0, 0}); }},
      {"more slots than allowed", [](Saved& s) { s.slots.resize(101, {0, 1u << 31 | none}); }},
  };
  for (const auto& [name, damage] : damages) {
    Saved saved(pool);
    damage(saved);
    const auto restored = EntityPool::restore(config, saved.image(), 1);
    ASSERT_FALSE(restored.ok()) << name;
    EXPECT_STREQ(restored.error().reason, "damaged snapshot");
    EXPECT_FALSE(restored.error().message.empty());
  }
}

// Under lifo and `given` some shapes are illegal that a queue has.
TEST(EntityPool, WhatAPolicyCannotMakeIsRefused) {
  const EntityPoolConfig lifo{.recycling = Recycling::lifo};
  EntityPool pool(lifo);
  pool.create();
  pool.destroy(pool.create());
  Saved retired(pool);
  retired.slots[0] = {0, 0xbfffffff};
  EXPECT_FALSE(EntityPool::restore(lifo, retired.image(), 1).ok());
  Saved tail(pool);
  tail.numbers.free_tail = 1;
  EXPECT_FALSE(EntityPool::restore(lifo, tail.image(), 1).ok());

  const EntityPoolConfig given{.recycling = Recycling::given};
  Saved ranges(EntityPool{given});
  ranges.slots.push_back({1, 1u << 30});
  ranges.ranges.push_back({{0, 1, 1}, 1, (1u << 30) - 1});
  ranges.lists.push_back({1, (1u << 30) - 1, (1u << 30) - 1});
  EXPECT_FALSE(EntityPool::restore(given, ranges.image(), 1).ok());
  Saved free(EntityPool{given});
  free.slots.push_back({1, 0xbfffffff});
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

TEST(EntityPool, AnImageWithAnyByteChangedIsRefusedOrIsAnotherSoundPool) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 2, .reuse_bits = 2, .index_limit = 64};
    const EntityPool pool = varied(config);
    int refused = 0;
    int accepted = 0;
    const auto flip = [&](auto part) {
      Saved saved(pool);
      const std::span<std::byte> bytes = part(saved);
      for (std::byte& byte : bytes) {
        const std::byte before = byte;
        for (int value = 0; value < 256; ++value) {
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

TEST(EntityPool, IsWalkedToItsEndWhileEntitiesAreMadeAndDestroyed) {
  EntityPool pool;
  for (int i = 0; i < 5; ++i) pool.create();
  int visited = 0;
  for ([[maybe_unused]] const Entity entity : pool) {
    pool.destroy(pool.create());
    ASSERT_LE(++visited, 5);
  }
  EXPECT_EQ(visited, 5);
}

}  // namespace
}  // namespace mobula::ecs

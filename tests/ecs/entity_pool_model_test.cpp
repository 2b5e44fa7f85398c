// The pool, compared with a reference model that predicts every handle: plain lists, maps and sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <set>
#include <string>

#include "ecs/entity_pool_image.hpp"
#include <seeds.hpp>

namespace mobula::ecs::entity_pool_model_test {
namespace {

using test::same_bytes;
using test::Saved;

class Model {
 public:
  explicit Model(EntityPoolConfig config) : config_(config) {}

  std::map<std::uint32_t, Entity> living;

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::uint32_t room() const { return config_.entities_max - end_; }
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
  std::deque<Entity> free_;  // in order of reuse
  std::set<std::uint32_t> retired_;
  std::vector<Range> ranges_;
  std::map<std::uint32_t, std::deque<std::size_t>> free_ranges_;
};

// Applies the same operations to a pool and its model; the model predicts each result.
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
  void destroy_range() {  // often one that is dead wholly or in part, or whose indices are reused
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
    auto loaded = EntityPool::restore(config_, Saved(pool_).image(), 1);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
    if (!loaded.ok()) return false;
    if (config_.incarnation == pool_.config().incarnation) {
      EXPECT_TRUE(same_bytes(*loaded, pool_));
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

TEST(EntityPool, RandomHistoriesAgreeWithAReferenceModel) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo})
    for (std::uint64_t seed = 1; seed <= mobula::test::few_or_all(1, 4); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", policy " + std::to_string(static_cast<int>(recycling)));
      History({recycling, 3, 1 + static_cast<std::uint32_t>(seed), 700}, seed).run(50000);
      if (HasFailure()) return;
    }
}

TEST(EntityPool, RandomHistoriesOfGivenHandlesAgreeWithAMap) {
  constexpr EntityPoolConfig config{.recycling = Recycling::given, .entities_max = 300};
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
      auto loaded = EntityPool::restore(config, Saved(pool).image(), 1);
      ASSERT_TRUE(loaded.ok());
      ASSERT_TRUE(same_bytes(*loaded, pool));
      pool = std::move(loaded.value());
      ASSERT_EQ(pool.size(), living.size());
      for (std::uint32_t index = 0; index < 300; ++index)
        ASSERT_EQ(pool.at(index), living.contains(index) ? living[index] : null_entity);
      std::vector<Entity> walked;
      pool.each([&](Entity each) { walked.push_back(each); });
      ASSERT_EQ(walked, std::vector<Entity>(pool.begin(), pool.end()));
      ASSERT_TRUE(std::ranges::equal(walked, living, {}, {}, &std::pair<const std::uint32_t, Entity>::second));
    }
  }
}

}  // namespace
}  // namespace mobula::ecs::entity_pool_model_test

// A registry and its reference model: a map from entity to the numbers in its components. Random operations go to
// both; check() compares everything observable.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/standalone_pool.hpp>
#include <new>
#include <numeric>
#include <vector>

#include "ecs/allocations.hpp"
#include "ecs/component_kinds.hpp"
#include "ecs/journal_replay.hpp"

namespace mobula::ecs::test {

struct ModelConfig {
  EntityPoolConfig entities;
  std::vector<GroupCase> groups;
  bool listens = false;           // listeners count too
  bool allocations_fail = false;  // at each place of each operation, which is then repeated
  std::uint32_t population = 600;
};

class ModelWorld {
 public:
  ModelWorld(ModelConfig config, std::uint64_t seed)
      : config_(std::move(config)),
        world_({.entities = config_.entities,
                .pools = config_.entities.recycling == Recycling::given ? no_pages : small_pages}),
        random_(seed) {
    for (std::size_t i = 0; i < kinds.size(); ++i) pools_[i] = kinds[i].open(world_);
    if (config_.listens) listen();
  }

  void run(std::uint32_t operations) {
    for (std::uint32_t i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
      growing_ = alive_.size() < 20 || (growing_ && alive_.size() < config_.population);
      run_one();
      if (i % 64 == 0) replay_journal();
      if (i % 4000 == 0) check();
    }
    check();
  }
  [[nodiscard]] std::uint64_t failed_allocations() const { return failed_allocations_; }

  void check() {
    replay_journal();
    world_.check();
    ASSERT_EQ(world_.entities().size(), model_.size());
    std::array<std::uint32_t, kinds.size()> counts{};
    for (const auto& [entity, row] : model_) {
      ASSERT_TRUE(world_.valid(entity));
      std::vector<PoolId> composition;
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const bool there = row[kind] != absent;
        ASSERT_EQ(world_.pool(pools_[kind]).contains(entity.index), there);
        ASSERT_EQ(world_.try_read(entity, pools_[kind]) != nullptr, there);
        if (!there) continue;
        ASSERT_EQ(kinds[kind].read(world_, entity, pools_[kind]), row[kind]);
        ++counts[kind];
        if (kind < schema_kinds) composition.push_back(pools_[kind]);
      }
      std::sort(composition.begin(), composition.end());
      ASSERT_EQ(sorted_pools(world_, entity), composition);
      ASSERT_EQ(replayed_.composition(entity), composition) << "the structural change log holds every change";
    }
    ASSERT_EQ(replayed_.size(), model_.size()) << "the structural change log holds every entity";
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      ASSERT_EQ(world_.pool(pools_[kind]).size(), counts[kind]);
      if (config_.listens) {
        ASSERT_EQ(emitted_[kind], counts[kind]) << "signals are emitted for every component";
      }
    }
    if (config_.listens) {
      ASSERT_EQ(heard_entities_, model_.size());
    }
    for (const GroupCase& group : opened_) check_group(group);
  }

 private:
  static constexpr std::int32_t absent = -1;
  using Row = std::array<std::int32_t, kinds.size()>;

  struct Operation {
    std::uint32_t weight;
    void (ModelWorld::*run)();
    bool makes;     // creates entities
    bool destroys;  // destroys entities
  };
  static constexpr std::array<Operation, 16> operations() {
    return {{{60, &ModelWorld::create_one, true, false},
             {60, &ModelWorld::create_with_components, true, false},
             {2, &ModelWorld::create_many, true, false},
             {1, &ModelWorld::create_range, true, false},
             {1, &ModelWorld::spawn_level, true, false},
             {300, &ModelWorld::add_one, false, false},
             {150, &ModelWorld::write_one, false, false},
             {200, &ModelWorld::remove_one, false, false},
             {4, &ModelWorld::add_to_many, false, false},
             {4, &ModelWorld::remove_from_many, false, false},
             {60, &ModelWorld::destroy_one, false, true},
             {2, &ModelWorld::destroy_many, false, true},
             {2, &ModelWorld::destroy_range, false, true},
             {20, &ModelWorld::move_components, false, false},
             {30, &ModelWorld::ask_for_the_dead, false, false},
             {1, &ModelWorld::open_group, false, false}}};
  }

  void run_one() {
    static constexpr auto all = operations();
    static constexpr std::uint32_t total = std::accumulate(
        all.begin(), all.end(), 0u, [](std::uint32_t sum, const Operation& o) { return sum + o.weight; });
    std::uint32_t dice = random_.below(total);
    const auto* chosen = all.begin();
    for (; dice >= chosen->weight; ++chosen) dice -= chosen->weight;
    // Skips three in four operations against the trend.
    if ((growing_ ? chosen->destroys : chosen->makes) && !random_.chance(1, 4)) return run_one();
    if (alive_.empty() && !chosen->makes) return run_one();
    (this->*chosen->run)();
  }

  // With failing allocations, repeats the change with its first, second, … allocation failing until it succeeds. After
  // each failure everything is unchanged.
  template <class Change>
  void attempt(Change change) {
    for (std::uint64_t nth = 1; config_.allocations_fail; ++nth) {
      const std::size_t noted = world_.journal().size();
      try {
        const FailingAllocation failing(nth);
        return static_cast<void>(change());
      } catch (const std::bad_alloc&) {
        ++failed_allocations_;
      }
      ASSERT_EQ(world_.journal().size(), noted);
      ASSERT_NO_FATAL_FAILURE(check());
    }
    change();
  }

  Entity any() { return alive_[random_.below(static_cast<std::uint32_t>(alive_.size()))]; }
  std::size_t any_kind() { return random_.below(kinds.size()); }
  std::int32_t any_value(std::size_t kind) {
    return kinds[kind].empty ? 0 : static_cast<std::int32_t>(random_.below(100000));
  }
  // Returns distinct entities, in runs of neighbours so that bulk operations meet runs.
  template <class Wanted>
  std::vector<Entity> some(Wanted wanted) {
    std::vector<Entity> found;
    auto place = model_.lower_bound(any());
    for (std::uint32_t left = 1 + random_.below(40); left > 0 && place != model_.end(); --left, ++place)
      if (wanted(place->second)) found.push_back(place->first);
    for (std::size_t i = found.size(); i > 1 && random_.chance(1, 2); --i)
      std::swap(found[i - 1], found[random_.below(static_cast<std::uint32_t>(i))]);
    return found;
  }

  void made(Entity entity) {
    Row row;
    row.fill(absent);
    ASSERT_TRUE(model_.emplace(entity, row).second) << to_string(entity);
    alive_.push_back(entity);
    if (config_.entities.recycling != Recycling::queue) return;
    if (entity.index >= last_generation_.size()) last_generation_.resize(entity.index + 1);
    ASSERT_GT(entity.generation, last_generation_[entity.index]) << "a handle means one entity for ever";
    last_generation_[entity.index] = entity.generation;
  }
  void gone(Entity entity) {
    model_.erase(entity);
    dead_[dead_count_++ % dead_.size()] = entity;
  }
  void forget_the_dead() {
    std::erase_if(alive_, [this](Entity entity) { return !model_.contains(entity); });
  }

  // Operations ---------------------------------------------------------------------------
  void create_one() {
    Entity entity;
    if (config_.entities.recycling == Recycling::given) {
      entity = {random_.below(2 * config_.population), 1 + random_.below(1000)};
      const bool free = std::none_of(alive_.begin(), alive_.end(), [&](Entity e) { return e.index == entity.index; });
      bool created = false;
      attempt([&] { created = world_.create_given(entity); });
      ASSERT_EQ(created, free);
      if (!created) return;
    } else if (config_.entities.own.first > 0 && random_.chance(1, 4)) {
      entity = guest();
      bool received = false;
      attempt([&] { received = Guests(world_).receive(entity, random_.chance(1, 2)); });
      ASSERT_EQ(received, std::ranges::none_of(alive_, [&](Entity e) { return e.index == entity.index; }));
      if (!received) return;
    } else {
      attempt([&] { entity = world_.create(); });
    }
    if (entity) made(entity);
  }
  // Returns a handle of another world: its index is below or above the own ones.
  Entity guest() {
    const auto& [first, end] = config_.entities.own;
    const std::uint32_t all = config_.entities.entities_max;
    const std::uint32_t index = (end + random_.below(all - end + first)) % all;
    return {index, index < last_generation_.size() ? last_generation_[index] + 1 : 1};
  }
  void create_with_components() {
    if (config_.entities.recycling == Recycling::given) return;
    const std::array<std::int32_t, 3> values{any_value(position), any_value(label), any_value(mana)};
    Entity entity;
    attempt([&] { entity = world_.create(Position{values[0]}, make<Label>(values[1]), Mana{values[2]}); });
    if (!entity) return;
    made(entity);
    Row& row = model_.at(entity);
    std::tie(row[position], row[label], row[mana]) = std::tuple_cat(values);
    expect_changed(entity, mana);
  }
  void create_many() {
    if (config_.entities.recycling == Recycling::given) return;
    std::vector<Entity> entities(random_.below(100));
    const Position p{any_value(position)};
    const Mana m{any_value(mana)};
    const bool has_mana = random_.chance(1, 2);
    bool created = false;
    attempt(
        [&] { created = has_mana ? world_.create(std::span(entities), p, m) : world_.create(std::span(entities), p); });
    if (!created) return;
    for (const Entity entity : entities) {
      made(entity);
      model_.at(entity)[position] = p.value;
      if (has_mana) model_.at(entity)[mana] = m.value;
    }
  }
  template <class Make>
  EntityRange made_range(Make make) {
    EntityRange range;
    attempt([&] { range = make(); });
    for (std::uint32_t i = 0; i < range.count; ++i) made(range.at(i));
    if (range.count > 0) ranges_.push_back(range);
    return range;
  }
  void create_range() {
    if (config_.entities.recycling == Recycling::given) return;
    made_range([this, count = 1 + random_.below(4) * 20] { return world_.create_range(count); });
  }
  static constexpr std::array spawned_kinds{armour, position};
  using Compositions = std::vector<std::vector<PoolId>>;
  void spawn_level() {
    if (config_.entities.recycling == Recycling::given) return;
    const bool as_range = random_.chance(1, 2);
    const Compositions compositions = any_compositions(as_range ? 1 + random_.below(4) * 20 : random_.below(60));
    if (as_range)
      return spawn_columns(made_range([&] { return world_.begin_spawn(intern_all(compositions)); }), compositions);
    std::vector<Entity> out(compositions.size());
    attempt([&] { out.resize(world_.begin_spawn(out, intern_all(compositions)) ? out.size() : 0); });
    for (const Entity entity : out) made(entity);
    spawn_columns(std::span<const Entity>(out), compositions);
  }
  Compositions any_compositions(std::uint32_t count) {
    Compositions compositions(count);
    for (std::vector<PoolId>& composition : compositions)
      for (const std::size_t kind : spawned_kinds)
        if (!random_.chance(1, 3)) composition.push_back(pools_[kind]);
    return compositions;
  }
  // Anew for each attempt: check() reclaims prototypes that no entity has.
  std::vector<PrototypeId> intern_all(const Compositions& compositions) {
    std::vector<PrototypeId> prototypes;
    for (const auto& composition : compositions) prototypes.push_back(world_.prototypes().intern(composition));
    return prototypes;
  }
  void spawn_columns(const EntityBatch& batch, const Compositions& compositions) {
    for (const std::size_t kind : spawned_kinds) {
      std::vector<std::uint32_t> offsets;
      std::vector<std::int32_t> rows;
      for (std::uint32_t i = 0; i < batch.count(); ++i) {
        if (std::ranges::find(compositions[i], pools_[kind]) == compositions[i].end()) continue;
        offsets.push_back(i);
        rows.push_back(any_value(kind));
        model_.at(batch.at(i))[kind] = rows.back();
      }
      world_.add_column(batch, pools_[kind], offsets, reinterpret_cast<const std::byte*>(rows.data()));
    }
    world_.end_spawn(batch);
  }
  void add_one() {
    const Entity entity = any();
    const std::size_t kind = any_kind();
    std::int32_t& value = model_.at(entity)[kind];
    if (value != absent) return;
    const std::int32_t added = any_value(kind);
    const std::uint32_t way = random_.below(3);
    attempt([&] { kinds[kind].add(world_, entity, pools_[kind], added, way); });
    value = added;
    expect_changed(entity, kind);
  }
  void write_one() {
    const Entity entity = any();
    const std::size_t kind = any_kind();
    std::int32_t& value = model_.at(entity)[kind];
    if (value == absent) return;
    value = any_value(kind);
    world_.set_tick(world_.tick() + 1);
    kinds[kind].write(world_, entity, pools_[kind], value, random_.below(4));
    expect_changed(entity, kind);
  }
  void expect_changed(Entity entity, std::size_t kind) {
    const Pool& pool = world_.pool(pools_[kind]);
    ASSERT_EQ(pool.change_ticks()[pool.find(entity.index) >> Pool::block_shift], world_.tick());
  }
  void remove_one() {
    const Entity entity = any();
    const std::size_t kind = any_kind();
    std::int32_t& value = model_.at(entity)[kind];
    if (value == absent) return;
    attempt([&] { world_.remove(entity, pools_[kind]); });
    value = absent;
  }
  void add_to_many() {
    const std::size_t kind = any_kind();
    if (kinds[kind].add_all == nullptr) return;
    const std::vector<Entity> entities = some([kind](const Row& row) { return row[kind] == absent; });
    const std::int32_t value = any_value(kind);
    attempt([&] { kinds[kind].add_all(world_, entities, value); });
    for (const Entity entity : entities) model_.at(entity)[kind] = value;
  }
  void remove_from_many() {
    const std::size_t kind = any_kind();
    const std::vector<Entity> entities = some([kind](const Row& row) { return row[kind] != absent; });
    attempt([&] { world_.remove(entities, pools_[kind]); });
    for (const Entity entity : entities) model_.at(entity)[kind] = absent;
  }
  void destroy_one() {
    const std::size_t place = random_.below(static_cast<std::uint32_t>(alive_.size()));
    const Entity entity = alive_[place];
    attempt([&] { world_.destroy(entity); });
    alive_[place] = alive_.back();
    alive_.pop_back();
    gone(entity);
  }
  void destroy_many() {
    const std::vector<Entity> entities = some([](const Row&) { return true; });
    attempt([&] { world_.destroy(entities); });
    for (const Entity entity : entities) gone(entity);
    forget_the_dead();
  }
  void destroy_range() {
    if (ranges_.empty()) return;
    const std::size_t place = random_.below(static_cast<std::uint32_t>(ranges_.size()));
    const EntityRange range = ranges_[place];
    attempt([&] { world_.destroy_range(range); });
    for (std::uint32_t i = 0; i < range.count; ++i)
      if (model_.contains(range.at(i))) gone(range.at(i));
    forget_the_dead();
    if (random_.chance(9, 10)) ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void move_components() {
    Pool& pool = world_.pool(pools_[any_kind()]);
    if (pool.size() == 0 || pool.order_owner() != OrderOwner::nobody) return;
    if (random_.chance(9, 10)) return pool.swap(random_.below(pool.size()), random_.below(pool.size()));
    const std::uint32_t first = random_.below(pool.size());
    std::vector<std::uint32_t> order(pool.size() - first);
    std::iota(order.begin(), order.end(), first);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random_.below(static_cast<std::uint32_t>(i))]);
    attempt([&] { (pool.*&StandalonePool::reorder)(first, order, scratch_); });
  }
  void ask_for_the_dead() {
    const Entity entity = dead_[random_.below(static_cast<std::uint32_t>(dead_.size()))];
    if (model_.contains(entity)) return;  // if the policy permits
    ASSERT_FALSE(world_.valid(entity));
    ASSERT_FALSE(world_.has<Position>(entity));
    ASSERT_EQ(world_.try_get<Label>(entity), nullptr);
    ASSERT_EQ(world_.try_read(entity, pools_[health]), nullptr);
    ASSERT_EQ(world_.try_write(entity, pools_[health]), nullptr);
  }
  void open_group() {
    if (opened_.size() == config_.groups.size() || !random_.chance(1, 4)) return;
    const GroupCase& group = config_.groups[opened_.size()];
    attempt([&] { group.open(world_); });
    opened_.push_back(group);
  }

  // Listeners ------------------------------------------------------------------------------

  void listen() {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      PoolSignals& signals = world_.signals(pools_[kind]);
      signals.construct.connect([this, kind](std::span<const Entity> entities) {
        emitted_[kind] += entities.size();
        expect_all_there(entities, kind);
      });
      signals.destroy.connect([this, kind](std::span<const Entity> entities) {
        emitted_[kind] -= entities.size();
        expect_all_there(entities, kind);
      });
    }
    world_.created().connect([this](std::span<const Entity> entities) { heard_entities_ += entities.size(); });
    world_.destroying().connect([this](std::span<const Entity> entities) {
      heard_entities_ -= entities.size();
      for (const Entity entity : entities) ASSERT_TRUE(world_.valid(entity));
    });
  }
  void expect_all_there(std::span<const Entity> entities, std::size_t kind) {
    for (const Entity entity : entities) ASSERT_TRUE(world_.pool(pools_[kind]).contains(entity.index));
  }
  // Reads the structural change log as at the end of a tick.
  void replay_journal() {
    replayed_.replay(world_);
    world_.clear_journal();
    world_.prototypes().reclaim(10);
  }
  void check_group(const GroupCase& group) {
    const GroupSet& set = group.open(world_);
    std::uint32_t members = 0;
    for (const auto& [entity, row] : model_) {
      const auto has = [&columns = row](KindOf kind) { return columns[kind] != absent; };
      const bool member = std::all_of(group.required.begin(), group.required.end(), has) &&
                          std::none_of(group.excluded.begin(), group.excluded.end(), has);
      ASSERT_EQ(set.contains(entity.index), member);
      members += member ? 1u : 0u;
    }
    ASSERT_EQ(set.size(), members);
  }

  ModelConfig config_;
  World world_;
  core::Random random_;
  std::array<PoolId, kinds.size()> pools_{};
  std::map<Entity, Row> model_;
  std::vector<Entity> alive_;
  std::vector<EntityRange> ranges_;
  std::vector<GroupCase> opened_;
  std::vector<std::uint32_t> last_generation_;  // by index
  std::array<Entity, 64> dead_{};
  std::size_t dead_count_ = 0;
  bool growing_ = true;
  Scratch scratch_;
  JournalReplay replayed_;
  std::array<std::uint64_t, kinds.size()> emitted_{};
  std::uint64_t heard_entities_ = 0;
  std::uint64_t failed_allocations_ = 0;
};

}  // namespace mobula::ecs::test

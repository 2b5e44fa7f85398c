// Failed allocations at any place change nothing, and a tick in its steady state allocates nothing.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>
#include <sstream>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"
#include "ecs/model_world.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

TEST(Allocations, AreCountedAndFailOnRequest) {
  const std::uint64_t before = allocations();
  auto kept = std::make_unique<int>(1);
  EXPECT_EQ(allocations(), before + 1);
  {
    const FailingAllocation failing(2);
    kept = std::make_unique<int>(2);
    EXPECT_THROW(kept = std::make_unique<int>(3), std::bad_alloc);
    EXPECT_THROW((FailingAllocation(1), Scratch().room(100)), std::bad_alloc) << "aligned ones too";
  }
  kept = std::make_unique<int>(4);
  EXPECT_EQ(*kept, 4);
}

// Random operations, each tried with its first, second, … allocation failing.
void run_failing(ModelConfig config) {
  config.allocations_fail = true;
  config.population = 150;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelWorld world(config, seed);
    world.run(2000);
    if (testing::Test::HasFatalFailure()) return;
    EXPECT_GT(world.failed_allocations(), 200u);
  }
}

TEST(AllocationFailure, AtAnyPlaceOfAnyOperationChangesNothing) { run_failing({.entities = {}, .groups = {}}); }
TEST(AllocationFailure, WithGroupsChangesNothing) { run_failing({.entities = {}, .groups = some_groups()}); }
TEST(AllocationFailure, WithOtherGroupsInAMirrorChangesNothing) {
  run_failing({.entities = {.recycling = Recycling::given}, .groups = other_groups()});
}

// Returns all observable state as text. A failed bulk create may use up generations.
std::string observed(World& world, bool generations) {
  std::ostringstream text;
  for (const Entity entity : world.entities())
    text << entity.index << '.' << (generations ? entity.generation : 0) << ' ' << world.prototype(entity) << '\n';
  for (PoolId id = 0; id < world.pool_count(); ++id) {
    const Pool& pool = world.pool(id);
    for (const std::uint32_t index : std::set<std::uint32_t>(pool.indices().begin(), pool.indices().end())) {
      text << pool.instance_name() << ' ' << index;
      if (pool.is_schema()) text << ' ' << core::load<std::int32_t>(pool.at(pool.find(index)));
      text << '\n';
    }
  }
  for (const JournalEntry& entry : world.journal())
    text << static_cast<int>(entry.kind) << ' ' << entry.first.index << '+' << entry.count << '\n';
  return text.str();
}

struct Operation {
  const char* name;
  std::function<void(World&)> run;
};

Entity nth(World& world, std::uint32_t index) { return world.entities().at(index); }

// The world has 64 entities, 0 … 63: the arrays, pages and blocks of most are full.
const Operation operations[] = {
    {"create", [](World& world) { world.create(); }},
    {"create_range", [](World& world) { world.create_range(100); }},
    {"bulk create",
     [](World& world) {
       std::vector<Entity> entities(100);
       world.create(std::span(entities), Position{1}, Mana{2});
     }},
    {"add to a full page", [](World& world) { world.add<Position>(nth(world, 63), {3}); }},
    {"add_bytes", [](World& world) { world.add_bytes(nth(world, 63), world.pool_of<Position>()); }},
    {"add of a type never used", [](World& world) { world.add<Wide>(nth(world, 5), {3}); }},
    {"emplace", [](World& world) { world.emplace<Label>(nth(world, 5), "longer than what lies in a string itself"); }},
    {"a view of a type never used", [](World& world) { world.view<const Wide>().each([](const Wide&) {}); }},
    {"a named pool", [](World& world) { world.pool_of<Health>("a name longer than what lies in a string"); }},
    {"a named pool of a type never used", [](World& world) { world.pool_of<Wide>("Second"); }},
    {"add to a named pool", [](World& world) { world.add<Health>(nth(world, 1), {4}, world.pool_of<Health>("New")); }},
    {"register_type",
     [](World& world) {
       ComponentType type = schema_type<Position>();
       type.id = core::StringId32("Fresh");
       static_cast<void>(world.register_type(std::move(type)));
     }},
    {"bulk add",
     [](World& world) {
       std::vector<Entity> entities;
       for (std::uint32_t i = 10; i < 60; ++i) entities.push_back(nth(world, i));
       world.add<Label>(entities, make<Label>(3));
     }},
    {"remove", [](World& world) { world.remove<Position>(nth(world, 3)); }},
    {"bulk remove",
     [](World& world) {
       const std::array entities{nth(world, 3), nth(world, 4), nth(world, 50)};
       world.remove<Position>(entities);
     }},
    {"destroy", [](World& world) { world.destroy(nth(world, 3)); }},
    {"bulk destroy",
     [](World& world) {
       const std::vector<Entity> entities(world.entities().begin(), world.entities().end());
       world.destroy(entities);
     }},
    {"owning group", [](World& world) { world.group<Position, Health>(); }},
    {"observing group", [](World& world) { world.group<>(with<Position, Health>, exclude<Marker>); }},
    {"partially owning group", [](World& world) { world.group<Health>(with<Position>, exclude<Wide>); }},
    {"view that compares blocks",
     [](World& world) {
       std::int32_t sum = 0;
       world.view<const Position, const Health>().each(
           [&](const Position& p, const Health& h) { sum += p.value + h.value; });
       EXPECT_EQ(sum,
                 std::accumulate(world.pool<Health>().indices().begin(), world.pool<Health>().indices().end(), 0,
                                 [](int s, std::uint32_t i) { return s + (i < 63 ? static_cast<int>(2 * i) : 0); }));
     }},
    {"connect",
     [](World& world) {
       world.signals<Mana>().construct.connect(
           [keep = std::array<std::uint64_t, 20>{}](std::span<const Entity>) { static_cast<void>(keep); });
     }},
    {"prototypes",
     [](World& world) {
       const PoolId pools[] = {world.pool_of<Mana>(), world.pool_of<Health>(), world.pool_of<Position>()};
       world.prototypes().intern(pools);
     }},
};

void prepare_plain(World& world) {
  for (std::int32_t i = 0; i < 64; ++i) {
    const Entity entity = world.create();
    if (i < 63) world.add<Position>(entity, {i});
    if (i % 3 == 0) world.add<Health>(entity, {i});
  }
  world.add<Position>(world.create_range(1).at(0), {64});  // the page is full
  world.clear_journal();
}
void prepare_watched(World& world) {
  prepare_plain(world);
  world.group<>(with<Position>, exclude<Health>);
  world.group<Mana>(with<Label>, exclude<Marker>);
  world.created().connect([](std::span<const Entity>) {});
  world.destroying().connect([](std::span<const Entity>) {});
  for (const PoolId pool : {world.pool_of<Position>(), world.pool_of<Health>(), world.pool_of<Label>()}) {
    world.signals(pool).construct.connect([](std::span<const Entity>) {});
    world.signals(pool).destroy.connect([](std::span<const Entity>) {});
  }
}

void expect_failures_change_nothing(const Operation& operation, void (*prepare)(World&)) {
  const RegistryConfig config{.entities = {}, .pools = small_pages};
  std::string done;
  {
    World world(config);
    prepare(world);
    operation.run(world);
    done = observed(world, false);
  }
  for (std::uint64_t nth_fails = 1;; ++nth_fails) {
    SCOPED_TRACE(std::string(operation.name) + ", allocation " + std::to_string(nth_fails));
    ASSERT_LT(nth_fails, 1000u);
    World world(config);
    prepare(world);
    // Creating in bulk may use up generations before it fails.
    const bool keeps_generations = std::string_view(operation.name) != "bulk create";
    const std::string before = observed(world, keeps_generations);
    bool failed = false;
    try {
      const FailingAllocation failing(nth_fails);
      operation.run(world);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    world.check();
    if (failed) {
      ASSERT_EQ(observed(world, keeps_generations), before);
      operation.run(world);
      world.check();
    }
    ASSERT_EQ(observed(world, false), done);
    const Entity next = world.create();  // group sets and listeners exist and are current
    world.add<Position>(next);
    world.add<Health>(next);
    world.check();
    if (!failed) return;
  }
}

TEST(AllocationFailure, ChangesNothingAndTheNextTrySucceeds) {
  for (const Operation& operation : operations)
    ASSERT_NO_FATAL_FAILURE(expect_failures_change_nothing(operation, prepare_plain));
}

TEST(AllocationFailure, ChangesNothingWithGroupsAndListeners) {
  for (const Operation& operation : operations) {
    if (std::string_view(operation.name).ends_with("owning group")) continue;  // their pools' orders have owners
    ASSERT_NO_FATAL_FAILURE(expect_failures_change_nothing(operation, prepare_watched));
  }
}

TEST(AllocationFailure, InAColumnChangesNothing) {
  for (const bool watched : {false, true}) {
    bool failed = true;
    for (std::uint64_t nth_fails = 1; failed; ++nth_fails) {
      World world({.entities = {}, .pools = small_pages});
      if (watched) world.group<>(with<Health>, exclude<Position>);
      const PoolId pools[] = {world.pool_of<Health>()};
      std::vector<std::uint32_t> offsets(150);
      std::iota(offsets.begin(), offsets.end(), 0);
      const std::vector<PrototypeId> prototypes(150, world.prototypes().intern(pools));
      const EntityRange range = world.begin_spawn(prototypes);
      const auto add_column = [&] {
        world.add_column(range, pools[0], offsets, reinterpret_cast<const std::byte*>(offsets.data()));
      };
      try {
        const FailingAllocation failing(nth_fails);
        add_column();
        failed = false;
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(world.pool(pools[0]).size(), 0u);
        add_column();
      }
      world.end_spawn(range);
      world.check();
      EXPECT_EQ(world.pool(pools[0]).size(), 150u);
    }
  }
}

// The listener's changes stay; the entities are destroyed all or not at all. Some number of listener changes fills the
// structural change log exactly up to its capacity.
TEST(AllocationFailure, IsSafeAfterAListenerUsedUpTheJournalsRoom) {
  for (std::size_t changes = 0; changes < 50; ++changes) {
    bool failed = true;
    for (std::uint64_t nth_fails = 1; failed; ++nth_fails) {
      World world({.entities = {}, .pools = small_pages});
      world.group<>(with<Position>);
      std::vector<Entity> entities(20);
      ASSERT_TRUE(world.create(std::span(entities), Position{}));
      world.clear_journal();
      world.destroying().connect([&](std::span<const Entity>) {
        for (std::size_t i = 0; i < changes; ++i) {
          const Entity entity = entities[i % 2 * 5];
          world.has<Mana>(entity) ? world.remove<Mana>(entity) : void(world.add<Mana>(entity));
        }
      });
      const std::array going{entities[11], entities[13], entities[15]};
      failed = false;
      try {
        const FailingAllocation failing(nth_fails);
        world.destroy(going);
      } catch (const std::bad_alloc&) {
        failed = true;
      }
      world.check();
      for (const Entity entity : going) ASSERT_EQ(world.valid(entity), failed);
    }
  }
}

TEST(SteadyState, ATickAllocatesNothing) {
  World world;
  const auto owning = world.group<Position, Health>();
  const auto observing = world.group<>(with<Position, Mana>, exclude<Marker>);
  std::uint64_t heard = 0;
  const auto listen = [&heard](std::span<const Entity> entities) { heard += entities.size(); };
  world.created().connect(listen);
  world.destroying().connect(listen);
  world.signals<Health>().construct.connect(listen);
  world.signals<Health>().destroy.connect(listen);
  // New indices fit one page of a sparse array: a pool keeps one empty page and gives further ones back.
  std::vector<Entity> residents(600);
  ASSERT_TRUE(world.create(std::span(residents), Position{}, Mana{}));
  std::vector<Entity> guests(300);
  const auto tick = [&] {
    world.set_tick(world.tick() + 1);
    world.clear_journal();
    ASSERT_TRUE(world.create(std::span(guests).first(100), Position{}, Health{}));
    for (Entity& entity : std::span(guests).subspan(100)) {
      entity = world.create();
      world.add<Position>(entity);
      world.emplace<Wide>(entity);
    }
    world.add<Health>(std::span(guests).subspan(150, 100));
    world.add<Marker>(std::span(residents).first(50));
    for (std::size_t i = 0; i < residents.size(); i += 3) world.remove<Mana>(residents[i]);
    std::int32_t sum = 0;
    world.view<Position, const Wide>().each([&](Position& p, const Wide& w) { sum += p.value + w.value; });
    world.view<const Position, Maybe<Mana>>(exclude<Marker>).each([&](const Position&, Mana* mana) {
      sum += mana != nullptr ? 1 : 0;
    });
    for (auto [entity, position, mana] : world.view<Position, const Mana>()) position.value += mana.value;
    owning.each([&](Position& p, Health& h) { sum += p.value + h.value; });
    observing.each([&](Entity, Position& p, Mana&) { sum += p.value; });
    for (std::size_t i = 0; i < residents.size(); i += 3) world.add<Mana>(residents[i]);
    world.remove<Marker>(std::span(residents).first(50));
    world.destroy(std::span(guests).first(120));
    for (const Entity entity : std::span(guests).subspan(120)) world.destroy(entity);
  };
  for (int i = 0; i < 20; ++i) tick();
  const std::uint64_t before = allocations();
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(heard, 0u);
  world.check();
}

}  // namespace
}  // namespace mobula::ecs

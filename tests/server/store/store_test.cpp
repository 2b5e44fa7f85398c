#include <sys/wait.h>

#include <gtest/gtest.h>

#include <functional>
#include <mobula/server/store/database.hpp>
#include <optional>
#include <reflect/compile_schema.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

std::string query(const std::string& path, const std::string& sql) {
  Database database = std::move(*Database::open(path, Database::Access::existing));
  database.keep_log_at_close(true);
  return database.text(sql);
}

TEST(Store, ANewFileHasNoWorldAndEveryStartIsAnotherIncarnation) {
  const TestFolder folder;
  for (std::uint32_t start = 1; start <= 3; ++start) {
    const auto store = open_store(folder.file());
    EXPECT_FALSE(store->has_world());
    EXPECT_EQ(store->incarnation(), start);
    EXPECT_EQ(query(folder.file(), "SELECT value FROM saved_world WHERE key = 'incarnation'"), std::to_string(start));
    const StoreWorld world(start);
    EXPECT_TRUE(store->begin(world.registry).ok());
    store->note();
  }
}

TEST(Store, RestoresAWorldWithItsHandlesAndFacts) {
  const TestFolder folder;
  core::Random random(5);
  Model saved;
  Facts facts;
  {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.registry.set_tick(41);
    const ecs::EntityRange range = world.registry.create_range(2);
    world.change(random, 300);
    facts = {.tick = 41,
             .unix_time = 1'700'000'000,
             .random = random.state(),
             .next_player = 9,
             .players =
                 {{.id = 3, .name = "Ada", .account = std::string("a\0\xff", 3), .entity = {4, 4097}, .present = true},
                  {.id = 8, .name = "Bo", .account = "", .entity = {}, .present = false}},
             .game = {std::byte{1}, std::byte{0}, std::byte{255}},
             .crossings = {std::byte{2}, std::byte{0}},
             .level = std::make_shared<SavedLevel>(SavedLevel{.file = core::Bytes(5000, std::byte{7}),
                                                              .range = range,
                                                              .entities = {{0, 4097}, {}},
                                                              .paths = {"/a", "/b.1"},
                                                              .names = {"a", "b"}})};
    store->note();
    ASSERT_TRUE(store->finish(facts).ok());
    saved = world.model();
  }
  EXPECT_FALSE(fs::exists(folder.file() + "-wal")) << "after a clean stop the world is one file";
  const auto store = open_store(folder.file());
  ASSERT_TRUE(store->has_world());
  StoreWorld world(store->incarnation());
  const auto notes = store->restore(world.registry);
  ASSERT_TRUE(notes.ok()) << notes.error().message;
  EXPECT_TRUE(notes->empty());
  EXPECT_EQ(world.model(), saved);
  EXPECT_EQ(world.registry.tick(), 42u);
  world.registry.check();
  const Facts& back = store->saved_facts();
  EXPECT_EQ(back.tick, 41u);
  EXPECT_EQ(back.unix_time, facts.unix_time);
  EXPECT_EQ(back.random, facts.random);
  EXPECT_EQ(back.next_player, 9u);
  EXPECT_EQ(back.game, facts.game);
  EXPECT_EQ(back.crossings, facts.crossings);
  ASSERT_EQ(back.players.size(), 2u);
  EXPECT_EQ(back.players[0].account, facts.players[0].account);
  EXPECT_EQ(back.players[0].name, "Ada");
  EXPECT_EQ(back.players[0].entity, facts.players[0].entity);
  EXPECT_TRUE(back.players[0].present);
  EXPECT_FALSE(back.players[1].present);
  ASSERT_NE(back.level, nullptr);
  EXPECT_EQ(back.level->file, facts.level->file);
  EXPECT_EQ(back.level->range, facts.level->range);
  EXPECT_EQ(back.level->entities, facts.level->entities);
  EXPECT_EQ(back.level->paths, facts.level->paths);
  EXPECT_EQ(back.level->names, facts.level->names);
}

TEST(Store, TablesOfOtherProgramsBlockNoNames) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  {
    Database database = std::move(*Database::open(folder.file(), Database::Access::existing));
    database.run("CREATE TABLE COMPONENT_Plain_mine (a)");
    database.run("CREATE VIEW Plain_mine AS SELECT 1");
    ASSERT_FALSE(database.failed());
  }
  Model saved;
  {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    ASSERT_TRUE(store->restore(world.registry).ok());
    EXPECT_TRUE(store->begin(world.registry).ok());
    const ecs::PoolId pool = world.pool_of("Plain", "mine");
    world.registry.add_bytes(world.registry.create(), pool, kitchen_schema()->find("Plain")->default_value);
    store->note();
    const core::Status done = store->finish(facts_of(world.registry));
    ASSERT_TRUE(done.ok()) << done.error().message;
    saved = world.model();
  }
  EXPECT_EQ(Reopened(folder.file()).world.model(), saved);
}

TEST(Store, ARestartNeverReusesAHandle) {
  const TestFolder folder;
  core::Random random(6);
  std::set<ecs::Entity> ever;
  for (int start = 0; start < 6; ++start) {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    if (store->has_world()) {
      ASSERT_TRUE(store->restore(world.registry).ok());
    }
    const Model before = world.model();
    EXPECT_TRUE(store->begin(world.registry).ok());
    for (int tick = 0; tick < 5; ++tick) {
      world.change(random, 60);
      if (tick == 2)
        save(*store, world);
      else {
        store->note();
        world.end_tick();
      }
    }
    settle(*store, 1);  // later changes are lost, though clients have seen them
    for (const ecs::Entity entity : world.ever) {
      EXPECT_FALSE(ever.contains(entity)) << to_string(entity);
      EXPECT_EQ(entity.generation >> 20, store->incarnation());
    }
    for (const auto& [entity, components] : before) EXPECT_TRUE(ever.contains(entity)) << to_string(entity);
    ever.merge(world.ever);
  }
}

TEST(Store, WritesOnlyChangedRows) {
  const TestFolder folder;
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  const ecs::PoolId pool = world.pool_of("Plain", "Plain");
  std::vector<ecs::Entity> entities(500);
  ASSERT_TRUE(world.registry.create(entities));
  for (const ecs::Entity entity : entities) world.registry.add_bytes(entity, pool);
  ASSERT_TRUE(save(*store, world));
  settle(*store, 1);
  EXPECT_EQ(store->status().rows, 1000u);
  auto& plain = *reinterpret_cast<kitchen::Plain*>(world.registry.try_write(entities[77], pool));
  plain.an_int32 = 5;
  static_cast<void>(world.registry.try_write(entities[300], pool));  // marked as changed, but equal
  ASSERT_TRUE(save(*store, world));
  settle(*store, 2);
  EXPECT_EQ(store->status().rows, 1u);
  ASSERT_TRUE(save(*store, world));
  settle(*store, 3);
  EXPECT_EQ(store->status().rows, 0u);
  world.registry.destroy(entities[3]);
  ASSERT_TRUE(save(*store, world));
  settle(*store, 4);
  EXPECT_LE(store->status().rows, 2u);
}

TEST(Store, ARestoredWorldThatHasNotChangedIsNotWrittenAgain) {
  const TestFolder folder;
  core::Random random(8);
  {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.change(random, 200);
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  ASSERT_TRUE(store->restore(world.registry).ok());
  EXPECT_TRUE(store->begin(world.registry).ok());
  ASSERT_TRUE(save(*store, world));
  settle(*store, 1);
  EXPECT_EQ(store->status().rows, 0u);
}

TEST(Store, AWorldThatIsNotRestoredIsReplaced) {
  const TestFolder folder;
  core::Random random(9);
  Model saved;
  for (int start = 0; start < 2; ++start) {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.change(random, 100);
    saved = world.model();
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  EXPECT_EQ(Reopened(folder.file()).world.model(), saved);
}

// Returns the output of the sqlite3 program, which runs during `meanwhile`. Empty if it is not installed.
std::optional<std::string> run_sqlite(const std::string& path, const std::string& queries,
                                      const std::function<void()>& meanwhile) {
  FILE* const output = ::popen(("sqlite3 -readonly " + path + " " + queries).c_str(), "r");
  if (output == nullptr) return std::nullopt;
  meanwhile();
  std::array<char, 1000> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size() - 1, output);
  if (WEXITSTATUS(::pclose(output)) == 127) return std::nullopt;
  return std::string(text.data(), size);
}

TEST(Store, AnySqliteToolReadsItWhileItIsWritten) {
  const TestFolder folder;
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  const ecs::Entity entity = world.registry.create();
  const ecs::PoolId plains = world.pool_of("Plain", "Plain");
  const auto plain = [&] { return reinterpret_cast<kitchen::Plain*>(world.registry.try_write(entity, plains)); };
  world.registry.add_bytes(entity, plains);
  plain()->a_float = 2.5f;
  world.registry.add_bytes(entity, world.pool_of("Ranged", "Sharp"));
  ASSERT_TRUE(save(*store, world));
  settle(*store, 1);
  const std::string handle = to_string(entity);
  const std::string expected = handle + "|2.5|two words|" + std::to_string(core::StringId32("crate").value) + "\n" +
                               handle + "|plus\nPlain, Ranged \"Sharp\"\n";
  const std::string queries =
      "'SELECT handle, a_float, a_text, a_name FROM Plain' 'SELECT handle, small FROM Ranged_Sharp' "
      "'SELECT components FROM entities' ";
  const auto quiet = run_sqlite(folder.file(), queries + "'SELECT entities, tick, saved_at FROM save'", [] {});
  if (!quiet) GTEST_SKIP() << "sqlite3 is not installed";
  EXPECT_EQ(*quiet, expected + "1|1|2023-11-14 22:13:21\n");
  const auto save_often = [&] {
    for (int i = 0; i < 200; ++i) {
      ++plain()->an_int32;
      save(*store, world);
      store->wait_for_writer();
    }
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*run_sqlite(folder.file(), queries, save_often), expected);
}

TEST(Store, AComponentMayHaveTheNameOfATable) {
  const auto schema = test::load_schema(
      "struct Player (component) { a:int; } struct Save (component) { a:int; } struct saved_player (component) { "
      "a:int; }\n"
      "struct Level (component) { a:int; } struct component_Player (component) { a:int; }\n"
      "struct SQLite_Level (component) { a:int; }");
  const TestFolder folder;
  Model saved;
  for (int life = 0; life < 2; ++life) {
    const auto store = open_store(folder.file(), schema);
    StoreWorld world(store->incarnation(), schema);
    if (store->has_world()) {
      ASSERT_TRUE(store->restore(world.registry).ok());
      EXPECT_EQ(world.model(), saved);
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    const ecs::Entity entity = world.registry.create();
    for (const char* name : {"Player", "Save", "saved_player", "Level", "component_Player", "SQLite_Level"})
      world.registry.add_bytes(entity, world.pool_of(name, name));
    saved = world.model();
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  for (const char* view : {"Player", "Save_2", "saved_player_2", "Level", "component_Player_2", "_SQLite_Level"})
    EXPECT_EQ(query(folder.file(), "SELECT count(*) FROM " + std::string(view)), "2") << view;
}

// A restart removes the compositions that no entity has.
TEST(Store, UnusedCompositionsAreRemoved) {
  const TestFolder folder;
  const auto prototypes = [&] {
    Database database = std::move(*Database::open(folder.file(), Database::Access::existing));
    Statement count = database.prepare("SELECT count(*) FROM saved_prototype");
    EXPECT_TRUE(count.next());
    return count.integer(0);
  };
  for (const char* name : {"Sharp", "Blunt"}) {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    if (store->has_world()) {
      ASSERT_TRUE(store->restore(world.registry).ok());
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    const ecs::Entity entity = world.registry.create();
    for (int i = 1; i <= 3; ++i) {
      world.registry.add_bytes(entity, world.pool_of("Ranged", name + std::to_string(i)));
      ASSERT_TRUE(save(*store, world));
      settle(*store, static_cast<std::uint64_t>(i));
    }
    EXPECT_EQ(prototypes(), 3 + (std::string_view(name) == "Blunt" ? 1 : 0)) << "a run keeps a few unused ones";
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  EXPECT_EQ(open_reason(folder.file()), "");
}

TEST(Store, UnusedInstanceNamesAreNoPoolsAfterARestart) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    const ecs::Entity entity = world.registry.create();
    world.registry.add_bytes(entity, world.pool_of("Plain", "Once"));
    ASSERT_TRUE(store->checkpoint(facts_of(world.registry)));
    settle(*store, 1);
    store->note();
    world.end_tick();
    world.registry.destroy(entity);
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  const std::uint32_t pools = world.registry.pool_count();
  ASSERT_TRUE(store->restore(world.registry).ok());
  EXPECT_EQ(world.registry.pool_count(), pools);
}

}  // namespace
}  // namespace mobula::store

// Damaged files are refused with advice and stay unchanged, unless the damage is in unused bytes.
#include <gmock/gmock.h>

#include <array>
#include <mobula/core/format.hpp>
#include <mobula/server/store/database.hpp>
#include <mobula/server/store/world_reader.hpp>
#include <mobula/server/store/world_tables.hpp>
#include <optional>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// A world with some checkpoints, the model of each, and a copy of the files.
struct Saved {
  TestFolder folder;
  std::map<ecs::Tick, Model> models;
  ecs::Tick newest = 0;
  std::string path = folder.file();

  Facts facts(const StoreWorld& world) const {
    Facts facts = facts_of(world.registry);
    facts.players = {{.id = 1, .name = "Ada", .account = "ada", .entity = {1, 2}, .present = true}};
    facts.game = core::Bytes(50, std::byte{3});
    return facts;
  }

  explicit Saved(bool end_in_good_order) {
    core::Random random(11);
    const auto store = open_store(folder.file("live.db"));
    // A reader of the first state keeps all later checkpoints in the log.
    Database reader = std::move(*Database::open(folder.file("live.db"), Database::Access::existing));
    if (!end_in_good_order) reader.run("BEGIN");
    EXPECT_EQ(reader.number("SELECT count(*) FROM saved_world"), 2);
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    for (std::uint64_t tick = 1; tick <= 3; ++tick) {
      world.change(random, 40);
      models[world.registry.tick()] = world.model();
      newest = world.registry.tick();
      store->note();
      EXPECT_TRUE(store->checkpoint(facts(world)));
      world.end_tick();
      settle(*store, tick);
      if (!end_in_good_order) copy_world(folder.file("live.db"), path);
    }
    if (!end_in_good_order) return;
    models[world.registry.tick()] = world.model();
    newest = world.registry.tick();
    store->note();
    EXPECT_TRUE(store->finish(facts(world)).ok());
    copy_world(folder.file("live.db"), path);
  }

  // Returns the restored tick. Empty if the file was refused.
  std::optional<ecs::Tick> read() {
    const core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = kitchen_schema()});
    if (!store) {
      EXPECT_THAT(store.error().reason, AnyOf(std::string("damaged"), std::string("foreign"), std::string("newer"),
                                              std::string("worn out"), std::string("file error")));
      EXPECT_THAT(store.error().message, HasSubstr(path));
      return std::nullopt;
    }
    if (!(*store)->has_world()) return 0;
    StoreWorld world((*store)->incarnation());
    const auto restored = (*store)->restore(world.registry);
    if (!restored) return std::nullopt;
    const ecs::Tick tick = (*store)->saved_facts().tick;
    EXPECT_EQ(world.model(), models.at(tick)) << tick;
    return tick;
  }
};

TEST(StoreDamage, AFlippedBitInTheFileIsRefusedOrChangesNothing) {
  Saved saved(true);
  const std::string whole = read_file_bytes(saved.path);
  core::Random random(1);
  int refused = 0;
  int tried = 0;
  for (std::size_t at = random.below(40); at < whole.size();
       at += test::few_or_all(5, 2) * (1 + random.below(2 * 199)), ++tried) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write_file_bytes(saved.path, damaged);
    const std::optional<ecs::Tick> tick = saved.read();
    if (tick) {
      EXPECT_EQ(*tick, saved.newest) << at;
    } else {
      ++refused;
      EXPECT_EQ(read_file_bytes(saved.path), damaged) << "a refused file stays unchanged: " << at;
    }
    fs::remove(saved.path + "-wal");
    fs::remove(saved.path + "-shm");
    if (testing::Test::HasFailure()) FAIL() << "at " << at;
  }
  EXPECT_GT(refused, tried / 10) << "out of " << tried;
}

TEST(StoreDamage, ATornFileIsRefused) {
  Saved saved(true);
  const std::string whole = read_file_bytes(saved.path);
  const std::size_t last = whole.find_last_not_of('\0');  // SQLite reads zeros behind the end of a file
  for (const std::size_t size :
       {last, whole.size() - 4096, whole.size() / 2, std::size_t{4096}, std::size_t{100}, std::size_t{1}}) {
    write_file_bytes(saved.path, whole.substr(0, size));
    EXPECT_EQ(saved.read(), std::nullopt) << size;
  }
  for (std::size_t page = 4096; page < whole.size(); page += 4096) {
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
    write_file_bytes(saved.path, damaged);
    EXPECT_EQ(saved.read(), std::nullopt) << page;
  }
}

// Damage in the last transaction looks like a torn write: the checkpoint before it is restored. Other damage is
// refused.
TEST(StoreDamage, AFlippedBitInTheLogCostsAtMostOneCheckpoint) {
  Saved saved(false);
  const std::string file = read_file_bytes(saved.path);
  const std::string log = read_file_bytes(saved.path + "-wal");
  ASSERT_GT(log.size(), 5 * 4120u);
  core::Random random(2);
  int refused = 0;
  int older = 0;
  for (std::size_t at = 0; at < log.size(); at += 1 + random.below(2 * 599)) {
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write_file_bytes(saved.path, file);
    write_file_bytes(saved.path + "-wal", damaged);
    fs::remove(saved.path + "-shm");
    const std::optional<ecs::Tick> tick = saved.read();
    if (!tick) {
      ++refused;
      EXPECT_EQ(read_file_bytes(saved.path + "-wal"), damaged) << at;
      EXPECT_EQ(read_file_bytes(saved.path), file) << at;
    } else {
      EXPECT_GE(*tick + 1, saved.newest) << at;
      older += *tick < saved.newest ? 1 : 0;
    }
    if (testing::Test::HasFailure()) FAIL() << "at " << at;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(older, 0);
}

TEST(StoreDamage, ATruncatedLogKeepsCommittedCheckpoints) {
  Saved saved(false);
  const std::string file = read_file_bytes(saved.path);
  const std::string log = read_file_bytes(saved.path + "-wal");
  core::Random random(3);
  std::set<ecs::Tick> ticks;
  for (std::size_t size = log.size();; size -= std::min<std::size_t>(size, 1 + random.below(9000))) {
    write_file_bytes(saved.path, file);
    write_file_bytes(saved.path + "-wal", log.substr(0, size));
    fs::remove(saved.path + "-shm");
    const std::optional<ecs::Tick> tick = saved.read();
    ASSERT_TRUE(tick) << "a process that is killed during a write leaves such a log: " << size;
    ticks.insert(*tick);
    if (size == 0) break;
  }
  EXPECT_GE(ticks.size(), 2u);
}

// A failing disk leaves such a log: each failed transaction overwrote a part of the previous one.
TEST(StoreDamage, RemainsOfFailedTransactionsAreNoDamage) {
  constexpr std::size_t header = 32;
  constexpr std::size_t frame = 24 + 4096;
  Saved saved(false);
  const std::string log = read_file_bytes(saved.path + "-wal");
  std::vector<std::size_t> ends;  // offsets at which transactions end
  for (std::size_t at = header; at + frame <= log.size(); at += frame)
    if (log.substr(at + 4, 4) != std::string(4, '\0')) ends.push_back(at + frame);
  ASSERT_GE(ends.size(), 3u);
  const std::size_t whole = ends[ends.size() - 3];
  const std::string failed = log.substr(ends[ends.size() - 2]);
  std::string torn = log.substr(whole, frame);
  torn[100] = static_cast<char>(torn[100] ^ 1);
  write_file_bytes(saved.path + "-wal", log.substr(0, whole) + torn + failed + failed);
  fs::remove(saved.path + "-shm");
  EXPECT_EQ(saved.read(), saved.newest - 2);
}

// Replaces a table by a view without end.
constexpr const char* endless_players =
    "DROP TABLE saved_player; CREATE VIEW saved_player AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 "
    "FROM n) SELECT id, '' AS account, '' AS name, 1 AS entity, 1 AS generation, 0 AS present FROM n";

TEST(StoreDamage, ValuesChangedByAnotherProgramAreRefused) {
  for (const char* change :
       {"UPDATE component_Plain SET a_float = 7.25", "DELETE FROM component_Plain",
        "UPDATE saved_entity SET generation = generation + 1", "UPDATE saved_world SET value = 1 WHERE key = 'tick'",
        "UPDATE saved_world SET value = 0 WHERE key = 'incarnation'", "DELETE FROM saved_player",
        "UPDATE saved_player SET name = 'Eve'", "DROP TABLE component_Plain",
        "UPDATE saved_component_table SET view_name = 'other'", "DELETE FROM saved_prototype_component",
        "UPDATE saved_world SET value = x'00' WHERE key = 'game'", "DELETE FROM saved_schema", endless_players}) {
    Saved saved(true);
    {
      Database database = std::move(*Database::open(saved.path, Database::Access::existing));
      database.run("PRAGMA journal_mode = DELETE");
      database.run(change);
      ASSERT_FALSE(database.failed()) << change;
    }
    EXPECT_EQ(saved.read(), std::nullopt) << change;
  }
}

// Changes a world and corrects its checksums.
void change_with_checksums(const std::string& path, const std::vector<std::string>& changes) {
  Database database = std::move(*Database::open(path, Database::Access::existing));
  database.run("PRAGMA journal_mode = DELETE");
  for (const std::string& change : changes) {
    database.run(change);
    ASSERT_FALSE(database.failed()) << change;
  }
  const auto put = [&](const char* key, std::uint64_t sum) {
    database.run(
        core::format("UPDATE saved_world SET value = {} WHERE key = '{}'", static_cast<std::int64_t>(sum), key));
  };
  const auto sums = find_sums(database);
  if (!sums) return;  // opening the store fails with the reason
  put("entities_sum", sums->entities);
  put("facts_sum", find_sums(database)->facts);
}

TEST(StoreDamage, ImpossibleRowsWithValidChecksumsAreRefused) {
  const std::int64_t table = ComponentTable(*kitchen_schema()->find("Plain"), "Plain", "", "").id();
  const std::int64_t twice = composition_id(std::array{table, table});
  const std::vector<std::vector<std::string>> all{
      {"UPDATE saved_world SET value = value + (1 << 32) WHERE key = 'incarnation'"},
      // Overlapping ranges: each would be iterated in full.
      {"INSERT INTO saved_entity_range VALUES (100000, 50, 1)", "INSERT INTO saved_entity_range VALUES (100049, 9, 1)"},
      {"INSERT INTO saved_level VALUES (1, x'00', 0, 0, 0)", "INSERT INTO saved_level_entity VALUES (0, 7, 1, '/a')",
       "INSERT INTO saved_level_entity VALUES (1, 7, 1, '/b')"},
      {"INSERT INTO saved_level VALUES (1, x'00', 1000000, 5, 1)"},
      // A component twice in one prototype; a file could have it any number of times.
      {"CREATE TABLE loose (prototype INTEGER, component_table INTEGER)",
       "INSERT INTO loose SELECT * FROM saved_prototype_component", "DROP TABLE saved_prototype_component",
       "ALTER TABLE loose RENAME TO saved_prototype_component",
       core::format("INSERT INTO saved_prototype VALUES ({}, '')", twice),
       core::format("INSERT INTO saved_prototype_component VALUES ({0}, {1}), ({0}, {1})", twice, table)},
  };
  for (const std::vector<std::string>& changes : all) {
    Saved saved(true);
    change_with_checksums(saved.path, changes);
    EXPECT_EQ(open_reason(saved.path), "damaged") << changes.front();
  }
}

// A changed schema recreates all tables. The names of the old ones come from the file.
TEST(StoreDamage, SavingContinuesWhateverNamesTheFileHas) {
  const auto new_schema = test::load_schema("struct Plain (component) { fresh:int; }");
  for (const char* name : {"CAST(x'7800' AS TEXT)", "table_name", "'save'", "'nothing'"}) {
    Saved saved(true);
    change_with_checksums(saved.path, {core::format("UPDATE saved_component_table SET view_name = {}", name)});
    const auto store = open_store(saved.path, new_schema);
    StoreWorld world(store->incarnation(), new_schema);
    ASSERT_TRUE(store->restore(world.registry).ok()) << name;
    EXPECT_TRUE(store->begin(world.registry).ok());
    store->note();
    const core::Status done = store->finish(facts_of(world.registry));
    EXPECT_TRUE(done.ok()) << name << ": " << done.error().message;
  }
}

}  // namespace
}  // namespace mobula::store

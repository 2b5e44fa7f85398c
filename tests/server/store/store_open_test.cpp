// Which files a store opens, and which it refuses.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <mobula/server/store/database.hpp>
#include <mobula/server/store/world_tables.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

using testing::HasSubstr;

TEST(Store, AWorldHasOneServerAtATime) {
  const TestFolder folder;
  auto store = open_store(folder.file());
  const auto second = Store::open({.path = folder.file(), .schema = kitchen_schema()});
  ASSERT_FALSE(second.ok());
  EXPECT_STREQ(second.error().reason, "in use");
  EXPECT_THAT(second.error().message, HasSubstr(folder.file()));
  store.reset();
  EXPECT_EQ(open_reason(folder.file()), "");
}

// SQLite keeps the log beside the target of a link.
TEST(Store, AWorldBehindALinkIsTheSameWorld) {
  const TestFolder folder;
  fs::create_directory(folder.path() / "real");
  fs::create_symlink("real/world.db", folder.path() / "link.db");
  EXPECT_EQ(open_reason(folder.file("link.db")), "not writable") << "the target is missing";
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.db"));
  EXPECT_TRUE(fs::is_empty(folder.path() / "real"));
  open_store(folder.file("real/world.db"));
  {
    const auto store = open_store(folder.file("link.db"));
    StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.registry.create();
    ASSERT_TRUE(save(*store, world));
    settle(*store, 1);
    EXPECT_EQ(open_reason(folder.file("real/world.db")), "in use");
    EXPECT_EQ(open_reason(folder.file("link.db")), "in use");
    EXPECT_GT(store->status().log_bytes, 0u);
  }
  EXPECT_EQ(open_reason(folder.file("real/world.db")), "");
}

TEST(Store, AnyNameIsAPlainFileName) {
  const TestFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const std::string name : {"world.db", ":memory:", "file:world.db?mode=ro"}) {
    {
      const auto store = open_store(name);
      StoreWorld world(store->incarnation());
      EXPECT_TRUE(store->begin(world.registry).ok());
      store->note();
      EXPECT_TRUE(store->finish(facts_of(world.registry)).ok());
    }
    EXPECT_TRUE(open_store(name)->has_world()) << name;
    EXPECT_TRUE(fs::is_regular_file(folder.file(name))) << name;
  }
  fs::current_path(before);
}

TEST(Store, AWorldWithoutTicksLeftIsWornOut) {
  const TestFolder folder;
  for (const ecs::Tick tick : {ecs::ticks_max - 1, ecs::ticks_max}) {
    const auto store = open_store(folder.file());
    StoreWorld world(store->incarnation());
    if (store->has_world()) {
      ASSERT_TRUE(store->restore(world.registry).ok());
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    Facts facts = facts_of(world.registry);
    facts.tick = tick;
    ASSERT_TRUE(store->finish(facts).ok());
  }
  EXPECT_EQ(open_reason(folder.file()), "worn out");
}

TEST(Store, AForeignFileIsRefusedUnchanged) {
  const TestFolder folder;
  write_file_bytes(folder.file("text"), std::string(5000, 'x'));
  write_file_bytes(folder.file("short"), "SQLite format 3");
  {
    Database other = std::move(*Database::open(folder.file("other.db"), Database::Access::create));
    other.run("CREATE TABLE saved_world (key TEXT PRIMARY KEY, value)");
  }
  const std::map<std::string, std::string> reasons{{"text", "foreign"}, {"short", "damaged"}, {"other.db", "foreign"}};
  for (const auto& [name, reason] : reasons) {
    const std::string before = read_file_bytes(folder.file(name));
    EXPECT_EQ(open_reason(folder.file(name)), reason) << name;
    EXPECT_EQ(read_file_bytes(folder.file(name)), before) << name;
  }
  EXPECT_EQ(open_reason(folder.file("no/such/folder/world.db")), "not writable");
  fs::create_directory(folder.path() / "folder");
  EXPECT_EQ(open_reason(folder.file("folder")), "foreign");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_reason(folder.file("pipe")), "foreign");
  EXPECT_TRUE(fs::is_fifo(folder.file("pipe"))) << "it still exists";
}

TEST(Store, AWorldOfANewerServerIsRefused) {
  const TestFolder folder;
  open_store(folder.file());
  {
    Database database = std::move(*Database::open(folder.file(), Database::Access::existing));
    database.run("PRAGMA user_version = 2");
    ASSERT_FALSE(database.failed());
  }
  EXPECT_EQ(open_reason(folder.file()), "newer");
}

TEST(Store, ALogWithoutItsFileIsKept) {
  const TestFolder folder;
  write_file_bytes(folder.file() + "-wal", "the last save");
  EXPECT_EQ(open_reason(folder.file()), "damaged");
  EXPECT_EQ(read_file_bytes(folder.file() + "-wal"), "the last save");
  EXPECT_FALSE(fs::exists(folder.file()));
}

TEST(Store, AWorldWithoutIncarnationsLeftIsWornOut) {
  const TestFolder folder;
  open_store(folder.file());
  std::uint32_t starts = 1;
  {
    // As after 4,093 further starts: the checksum is that of this row.
    Database database = std::move(*Database::open(folder.file(), Database::Access::existing));
    const auto sum = [](std::int64_t incarnation) {
      return static_cast<std::int64_t>(sum_of(FactRows{{"incarnation", incarnation}}));
    };
    database.run("UPDATE saved_world SET value = 4094 WHERE key = 'incarnation'");
    database.run("UPDATE saved_world SET value = " + std::to_string(sum(4094)) + " WHERE key = 'facts_sum'");
  }
  {
    const auto store = open_store(folder.file());
    starts = store->incarnation();
    StoreWorld world(starts);
    EXPECT_EQ(world.registry.create().generation >> 20, 4095u);
    EXPECT_TRUE(store->begin(world.registry).ok());
    store->note();
  }
  EXPECT_EQ(starts, 4095u);
  const auto refused = Store::open({.path = folder.file(), .schema = kitchen_schema()});
  ASSERT_FALSE(refused.ok());
  EXPECT_STREQ(refused.error().reason, "worn out");
}

// Otherwise a server that fails to start, and is restarted for days, would use up all incarnations.
TEST(Store, ARunWithoutATickUsesNoIncarnation) {
  const TestFolder folder;
  const std::uint32_t first = open_store(folder.file())->incarnation();
  for (int i = 0; i < 6; ++i) {
    const auto store = open_store(folder.file());
    EXPECT_EQ(store->incarnation(), first);
    const StoreWorld world(store->incarnation());
    EXPECT_TRUE(i % 2 == 0 || store->begin(world.registry).ok());
  }
  {
    const auto store = open_store(folder.file());
    const StoreWorld world(store->incarnation());
    EXPECT_TRUE(store->begin(world.registry).ok());
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  EXPECT_EQ(open_store(folder.file())->incarnation(), first + 1);
}

}  // namespace
}  // namespace mobula::store

// Long readers, full disks, locked files and other obstacles to saving.
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <mobula/server/store/database.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

using testing::HasSubstr;

void rewrite(StoreWorld& world, const std::vector<ecs::Entity>& entities, core::Random& random) {
  const ecs::PoolId pool = world.pool_of("Plain", "Plain");
  for (const ecs::Entity entity : entities) {
    auto& plain = *reinterpret_cast<kitchen::Plain*>(world.registry.try_write(entity, pool));
    plain.an_int32 = static_cast<std::int32_t>(random.next());
  }
}

std::vector<ecs::Entity> fill(StoreWorld& world, std::size_t count) {
  std::vector<ecs::Entity> entities(count);
  EXPECT_TRUE(world.registry.create(entities));
  const ecs::PoolId pool = world.pool_of("Plain", "Plain");
  for (const ecs::Entity entity : entities) world.registry.add_bytes(entity, pool);
  return entities;
}

TEST(StoreTrouble, TheLogIsReusedWhileNobodyReads) {
  const TestFolder folder;
  core::Random random(1);
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  const std::vector<ecs::Entity> entities = fill(world, 400);
  std::uint64_t largest = 0;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    rewrite(world, entities, random);
    ASSERT_TRUE(save(*store, world));
    settle(*store, i);
    if (i == 2) largest = store->status().log_bytes;
  }
  EXPECT_LE(store->status().log_bytes, 2 * largest);
}

TEST(StoreTrouble, ATransactionLeftOpenWithoutMemoryIsRolledBack) {
  const TestFolder folder;
  Database database = std::move(*Database::open(folder.file(), Database::Access::create));
  database.run("PRAGMA journal_mode = WAL");
  const auto leave_open = [&] {
    database.begin();
    database.run("CREATE TABLE undone (value)");
    ::sqlite3_hard_heap_limit64(1);
    database.rollback();
    ::sqlite3_hard_heap_limit64(0);
    database.run("BEGIN");
    const std::optional<core::Error> still_open = database.take_error();
    ASSERT_TRUE(still_open) << "memory sufficed for the rollback";
    EXPECT_THAT(still_open->message, HasSubstr("within a transaction"));
  };
  leave_open();
  const auto moved = database.move_log(true);
  EXPECT_TRUE(moved.ok()) << moved.error().message;

  leave_open();
  database.begin();
  database.run("CREATE TABLE done (value)");
  database.run("COMMIT");
  EXPECT_FALSE(database.take_error());
  EXPECT_EQ(database.text("SELECT group_concat(name) FROM sqlite_schema"), "done");
}

TEST(StoreTrouble, ALongReaderDoesNotLetTheLogGrowBeyondItsLimit) {
  const TestFolder folder;
  core::Random random(2);
  constexpr std::uint64_t limit = 300'000;
  auto store = std::move(*Store::open({.path = folder.file(), .schema = kitchen_schema(), .log_bytes_max = limit}));
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  const std::vector<ecs::Entity> entities = fill(world, 400);
  ASSERT_TRUE(save(*store, world));
  settle(*store, 1);
  const std::uint64_t one_batch = store->status().log_bytes;

  Model saved;
  {
    Database reader = std::move(*Database::open(folder.file(), Database::Access::existing));
    reader.run("BEGIN");
    EXPECT_EQ(reader.number("SELECT value FROM saved_world WHERE key = 'tick'"), 1);
    std::uint64_t postponed = 0;
    for (int i = 0; postponed < 3 && i < 100'000; ++i) {
      rewrite(world, entities, random);
      const bool begun = save(*store, world);
      postponed = store->status().error.empty() ? 0 : postponed + (begun ? 0 : 1);
      store->retry(i * core::millisecond);
      ::usleep(1000);
    }
    const StoreStatus held = store->status();
    EXPECT_THAT(held.error, HasSubstr("another program reads the world"));
    EXPECT_LE(held.log_bytes, limit + 2 * one_batch);
    EXPECT_GT(held.failures, 0u);
    EXPECT_EQ(reader.number("SELECT value FROM saved_world WHERE key = 'tick'"), 1) << "the reader keeps its snapshot";
    reader.run("COMMIT");
  }
  rewrite(world, entities, random);
  saved = world.model();
  store->note();
  ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  store.reset();
  EXPECT_EQ(Reopened(folder.file()).world.model(), saved);
}

TEST(StoreTrouble, AnotherProgramThatWritesIsWaitedFor) {
  const TestFolder folder;
  const auto store = open_store(folder.file());
  StoreWorld world(store->incarnation());
  EXPECT_TRUE(store->begin(world.registry).ok());
  fill(world, 10);
  {
    Database writer = std::move(*Database::open(folder.file(), Database::Access::existing));
    writer.run("BEGIN IMMEDIATE");
    ASSERT_TRUE(save(*store, world));
    store->wait_for_writer();
    EXPECT_EQ(store->status().failures, 1u);
    EXPECT_EQ(store->status().checkpoints, 0u);
    EXPECT_FALSE(store->checkpoint(facts_of(world.registry))) << "one at a time";
    EXPECT_FALSE(store->ready());
    store->retry(5 * core::second);
    writer.rollback();
  }
  store->retry(6 * core::second - 1);
  store->wait_for_writer();
  EXPECT_FALSE(store->ready()) << "a second has not passed";
  store->retry(6 * core::second);
  store->wait_for_writer();
  EXPECT_TRUE(store->ready());
  EXPECT_EQ(store->status().checkpoints, 1u);
  EXPECT_EQ(store->status().error, "");
}

// Returns an exit status: 0 if begin() fails with "no thread".
int begin_without_a_thread(const std::string& path) {
  const auto store = Store::open({.path = path, .schema = kitchen_schema()});
  if (!store) return 1;
  const StoreWorld world((*store)->incarnation());
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_NPROC, &none) != 0 || (::geteuid() == 0 && ::setuid(65534) != 0)) return 2;
  const core::Status begun = (*store)->begin(world.registry);
  return !begun && std::string_view(begun.error().reason) == "no thread" ? 0 : 3;
}

TEST(StoreTrouble, BeginFailsWithoutAWriterThread) {
  const TestFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(begin_without_a_thread(folder.file()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(open_store(folder.file())->incarnation(), 1u);
}

// Fills a small tmpfs, mounted in a namespace of this process. Returns an exit status: 0 on success, 77 if mounting is
// not permitted.
int fill_a_small_disk(const std::string& folder) {
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
  write_file_bytes("/proc/self/setgroups", "deny");
  write_file_bytes("/proc/self/uid_map", user);
  write_file_bytes("/proc/self/gid_map", group);
  if (::mount("none", folder.c_str(), "tmpfs", 0, "size=600k") != 0) return 77;
  core::Random random(3);
  Model saved;
  {
    core::Result<std::unique_ptr<Store>> opened =
        Store::open({.path = folder + "/world.db", .schema = kitchen_schema(), .finish_tries = 2});
    if (!opened) return 1;
    Store& store = **opened;
    StoreWorld world(store.incarnation());
    if (!store.begin(world.registry).ok()) return 13;
    std::vector<ecs::Entity> entities = fill(world, 50);
    save(store, world);
    settle(store, 1);
    saved = world.model();
    fill(world, 4000);
    save(store, world);
    store.wait_for_writer();
    if (store.status().error.find("full") == std::string::npos) return 2;
    if (store.finish(facts_of(world.registry)).ok()) return 3;
  }
  core::Result<std::unique_ptr<Store>> again = Store::open({.path = folder + "/world.db", .schema = kitchen_schema()});
  if (!again) return 4;
  StoreWorld world((*again)->incarnation());
  if (!(*again)->restore(world.registry).ok()) return 5;
  if (world.model() != saved) return 6;
  // With room the postponed checkpoint is written.
  if (!(*again)->begin(world.registry).ok()) return 14;
  fill(world, 4000);
  save(**again, world);
  (*again)->wait_for_writer();
  if ((*again)->status().failures == 0) return 15;
  if (::mount("none", folder.c_str(), "tmpfs", MS_REMOUNT, "size=16m") != 0) return 7;
  settle(**again, 1);
  if (!(*again)->status().error.empty()) return 8;
  world.change(random, 100);
  (*again)->note();
  if (!(*again)->finish(facts_of(world.registry)).ok()) return 9;
  saved = world.model();
  again->reset();
  again = Store::open({.path = folder + "/world.db", .schema = kitchen_schema()});
  if (!again) return 10;
  StoreWorld last((*again)->incarnation());
  if (!(*again)->restore(last.registry).ok()) return 11;
  return last.model() == saved ? 0 : 12;
}

TEST(StoreTrouble, AFullDiskLosesNothingAndSavingResumesWithRoom) {
  const TestFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(fill_a_small_disk(folder.path().string()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "mounting is not permitted";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace mobula::store

// World files that are moved, replaced, moved back, or have other names.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <functional>
#include <mobula/server/store/database.hpp>
#include <server/store/store_world.hpp>
#include <tuple>

namespace mobula::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A store with one written checkpoint.
struct Saving {
  explicit Saving(const std::string& path)
      : store(std::move(*Store::open({.path = path, .schema = kitchen_schema(), .finish_tries = 1}))),
        world(store->incarnation()) {
    if (store->has_world()) {
      EXPECT_TRUE(store->restore(world.registry).ok());
      world.registry.set_tick(store->saved_facts().tick + 1);
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    save_once();
    settle(*store, 1);
  }
  // Begins a checkpoint and waits for its first attempt.
  void save_once() {
    world.change(random, 100);
    ASSERT_TRUE(save(*store, world));
    store->wait_for_writer();
  }
  // Returns the error of the last save. Empty if it succeeded.
  std::string finish() {
    world.change(random, 100);
    store->note();
    const core::Status done = store->finish(facts_of(world.registry));
    return done ? "" : done.error().reason;
  }

  core::Random random{1};
  std::unique_ptr<Store> store;
  StoreWorld world;
};

constexpr const char* moved = "has been removed, renamed or replaced";

TEST(StoreMoved, AMovedOrReplacedFileIsNotWrittenUntilItIsBack) {
  const TestFolder folder;
  const std::string file = folder.file();
  const std::string elsewhere = folder.file("elsewhere.db");
  const std::vector<std::pair<std::string, std::function<void()>>> ways{
      {"removed", [] {}},
      {"somebody's own", [&] { write_file_bytes(file, "somebody's own"); }},
      {"a copy", [&] { fs::copy_file(elsewhere, file); }},
      {"a folder", [&] { fs::create_directory(file); }},
  };
  Saving saving(file);
  std::uint64_t failures = 0;
  std::uint64_t checkpoints = 1;
  core::Nanoseconds now = 0;
  testing::internal::CaptureStderr();
  for (const auto& [what, put] : ways) {
    SCOPED_TRACE(what);
    fs::rename(file, elsewhere);
    put();
    const std::string there = read_file_bytes(elsewhere);
    const std::string put_there = fs::is_regular_file(file) ? read_file_bytes(file) : "";
    saving.save_once();
    EXPECT_EQ(saving.store->status().failures, ++failures);
    EXPECT_THAT(saving.store->status().error, AllOf(HasSubstr(file), HasSubstr(moved)));
    for (int i = 0; i < 2; ++i) saving.store->retry(now += core::second);
    saving.store->wait_for_writer();
    EXPECT_EQ(saving.store->status().failures, ++failures);
    EXPECT_EQ(read_file_bytes(elsewhere), there);
    if (fs::is_regular_file(file)) {
      EXPECT_EQ(read_file_bytes(file), put_there);
    }
    fs::remove(file);
    fs::rename(elsewhere, file);
    settle(*saving.store, ++checkpoints);
    EXPECT_EQ(saving.store->status().error, "");
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(file + " is not saved, retrying each second: moved: " + file + " has been removed"));
  EXPECT_THAT(log, HasSubstr(file + " is saved again, as of tick "));
  EXPECT_EQ(saving.finish(), "");
  saving.store.reset();
  EXPECT_EQ(Reopened(file).world.model(), saving.world.model());
}

TEST(StoreMoved, AFileNoLongerBehindItsLinkIsMoved) {
  const TestFolder folder;
  for (const char* real : {"1", "2"}) fs::create_directory(folder.path() / real);
  open_store(folder.file("1/world.db"));
  write_file_bytes(folder.file("2/world.db"), "somebody's own");
  const auto point = [&](const fs::path& link, const std::string& to) {
    fs::remove(link);
    fs::create_symlink(to, link);
  };
  for (const auto& [link, named, to] :
       {std::tuple{"link.db", "link.db", "/world.db"}, std::tuple{"link", "link/world.db", ""}}) {
    SCOPED_TRACE(named);
    point(folder.path() / link, std::string("1") + to);
    Saving saving(folder.file(named));
    point(folder.path() / link, std::string("2") + to);
    saving.save_once();
    EXPECT_THAT(saving.store->status().error, HasSubstr(moved));
    point(folder.path() / link, std::string("1") + to);
    settle(*saving.store, 2);
    EXPECT_EQ(saving.finish(), "");
    EXPECT_EQ(read_file_bytes(folder.file("2/world.db")), "somebody's own");
  }
  Saving saving(folder.file("link.db"));
  fs::rename(folder.path() / "1/world.db", folder.path() / "2/world.db");
  point(folder.path() / "link.db", "2/world.db");
  saving.save_once();
  EXPECT_THAT(saving.store->status().error, HasSubstr(moved)) << "its log is not beside it";
}

// The newest checkpoints are in the log alone, and other programs would begin a second log.
TEST(StoreMoved, AFileWithoutItsLogIsNotWrittenUntilItIsBack) {
  const TestFolder folder;
  const std::string log = folder.file("world.db-wal");
  Saving saving(folder.file());
  fs::rename(log, folder.file("log"));
  saving.save_once();
  EXPECT_THAT(saving.store->status().error, AllOf(HasSubstr(log), HasSubstr(moved)));
  fs::copy_file(folder.file("log"), log);
  saving.store->retry(core::second);
  saving.store->retry(2 * core::second);
  saving.store->wait_for_writer();
  EXPECT_EQ(saving.store->status().failures, 2u) << "a copy is a different file";
  fs::rename(folder.file("log"), log);
  settle(*saving.store, 2);
  EXPECT_EQ(saving.finish(), "");
  saving.store.reset();
  EXPECT_EQ(Reopened(folder.file()).world.model(), saving.world.model());
}

TEST(StoreMoved, AStartIsNotUndoneInAMovedFile) {
  const TestFolder folder;
  auto store = open_store(folder.file());
  fs::rename(folder.file(), folder.file("elsewhere.db"));
  const std::string there = read_file_bytes(folder.file("elsewhere.db"));
  store.reset();
  EXPECT_EQ(read_file_bytes(folder.file("elsewhere.db")), there);
}

// Not even the checkpoints that a reader has kept in the log.
TEST(StoreMoved, FinishingWritesNothingToAMovedFile) {
  const TestFolder folder;
  {
    Saving saving(folder.file());
    Database reader = std::move(*Database::open(folder.file(), Database::Access::existing));
    reader.run("BEGIN");
    EXPECT_GT(reader.number("SELECT value FROM saved_world WHERE key = 'incarnation'"), 0);
    saving.save_once();
    fs::rename(folder.file(), folder.file("elsewhere.db"));
    write_file_bytes(folder.file(), "somebody's own");
    reader.run("COMMIT");
    const std::string there = read_file_bytes(folder.file("elsewhere.db"));
    const std::string log = read_file_bytes(folder.file("world.db-wal"));
    EXPECT_EQ(saving.finish(), "moved");
    EXPECT_EQ(read_file_bytes(folder.file("elsewhere.db")), there);
    EXPECT_EQ(read_file_bytes(folder.file("world.db-wal")), log);
  }
  EXPECT_EQ(read_file_bytes(folder.file()), "somebody's own");
}

TEST(StoreMoved, AWorldHasOneServerUnderAnyName) {
  const TestFolder folder;
  Saving saving(folder.file());
  fs::create_hard_link(folder.file(), folder.file("other.db"));
  EXPECT_EQ(open_reason(folder.file("other.db")), "in use");
  fs::remove(folder.file("world.db.lock"));
  EXPECT_EQ(open_reason(folder.file()), "in use");
  fs::rename(folder.file(), folder.file("elsewhere.db"));
  EXPECT_EQ(open_reason(folder.file("elsewhere.db")), "in use");
  fs::rename(folder.file("elsewhere.db"), folder.file());
  EXPECT_EQ(saving.finish(), "");
  saving.store.reset();
  EXPECT_EQ(open_reason(folder.file("other.db")), "");
}

// Asks from another process: a process never conflicts with its own POSIX locks.
bool is_locked_by_sqlite(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct flock asked = {};
    asked.l_type = F_WRLCK;
    asked.l_start = 0x40000000;  // where SQLite locks its files
    asked.l_len = 512;
    const int file = ::open(path.c_str(), O_RDWR);
    ::_exit(::fcntl(file, F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status == 0;
}

// Without the locks another program would consider itself the last user and remove the log.
TEST(StoreMoved, ARefusedServerKeepsTheLocksOfTheFirst) {
  const TestFolder folder;
  Saving saving(folder.file());
  ASSERT_TRUE(is_locked_by_sqlite(folder.file()));
  fs::create_hard_link(folder.file(), folder.file("other.db"));
  EXPECT_EQ(open_reason(folder.file("other.db")), "in use");
  fs::remove(folder.file("world.db.lock"));
  EXPECT_EQ(open_reason(folder.file()), "in use");
  EXPECT_TRUE(is_locked_by_sqlite(folder.file()));
}

// The log stayed behind when the file was moved. It would revert later saves or mix both states.
TEST(StoreMoved, ALogOlderThanItsFileIsRefused) {
  for (const int checkpoints : {0, 1, 40}) {
    SCOPED_TRACE(checkpoints);
    const TestFolder folder;
    {
      Saving saving(folder.file());
      fs::rename(folder.file(), folder.file("elsewhere.db"));
      EXPECT_EQ(saving.finish(), "moved");
    }
    Saving saving(folder.file("elsewhere.db"));
    for (int i = 0; i < checkpoints; ++i) {
      saving.save_once();
      settle(*saving.store, static_cast<std::uint64_t>(i) + 2);
    }
    EXPECT_EQ(saving.finish(), "");
    saving.store.reset();
    fs::rename(folder.file("elsewhere.db"), folder.file());
    const std::string there = read_file_bytes(folder.file());
    for (const std::string& path : {folder.file(), "/" + folder.file()}) {
      const auto store = Store::open({.path = path, .schema = kitchen_schema()});
      ASSERT_FALSE(store.ok());
      EXPECT_STREQ(store.error().reason, "damaged");
      EXPECT_THAT(store.error().message, HasSubstr("move " + path + "-wal away"));
    }
    EXPECT_EQ(read_file_bytes(folder.file()), there);
    fs::remove(folder.file("world.db-wal"));
    const Reopened read(folder.file());
    EXPECT_EQ(read.store->incarnation(), 3u);
    EXPECT_EQ(read.world.model(), saving.world.model());
  }
}

}  // namespace
}  // namespace mobula::store

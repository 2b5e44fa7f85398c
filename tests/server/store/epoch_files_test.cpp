#include <gmock/gmock.h>

#include <atomic>
#include <mobula/server/store/epoch_files.hpp>
#include <server/store/store_world.hpp>
#include <thread>

namespace mobula::store {
namespace {

std::string taken(const TestFolder& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<EpochFile> file = take_over(folder.path().string(), world, epoch);
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file ? file->path : "";
}

std::string refusal(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<EpochFile> file = take_over(folder, world, epoch);
  return file ? "" : file.error().reason;
}

std::vector<std::string> names(const TestFolder& folder) {
  std::vector<std::string> found;
  for (const auto& each : fs::directory_iterator(folder.path())) found.push_back(each.path().filename());
  std::ranges::sort(found);
  return found;
}

TEST(EpochFiles, TheFirstOwnerBeginsANewFile) {
  const TestFolder folder;
  EXPECT_EQ(taken(folder, "arena", 3), folder.file("arena.3.db"));
  EXPECT_THAT(names(folder), testing::IsEmpty());
}

// The former owner is paused: it keeps its locks, and wakes up late.
TEST(EpochFiles, TheNextOwnerHasTheWorldAndNoLateWrites) {
  const TestFolder folder;
  Reopened former(taken(folder, "arena", 1));
  ASSERT_TRUE(former.store->begin(former.world.registry).ok());
  const ecs::Entity saved = former.world.registry.create();
  save(*former.store, former.world);
  settle(*former.store, 1);
  const ecs::Tick tick = former.store->status().tick;

  const std::string path = taken(folder, "arena", 2);
  const ecs::Entity late = former.world.registry.create();
  save(*former.store, former.world);
  settle(*former.store, 2);

  const Reopened next(path);
  EXPECT_EQ(next.tick, tick);
  EXPECT_TRUE(next.world.registry.valid(saved));
  EXPECT_FALSE(next.world.registry.valid(late));
  EXPECT_EQ(next.store->incarnation(), former.store->incarnation() + 1);
  EXPECT_THAT(next.store->last_end(), testing::HasSubstr("killed"));
}

TEST(EpochFiles, TheSameOwnerKeepsItsFile) {
  const TestFolder folder;
  write_file_bytes(folder.file("arena.1.db"), "old");
  write_file_bytes(folder.file("arena.2.db"), "own");
  EXPECT_EQ(taken(folder, "arena", 2), folder.file("arena.2.db"));
  EXPECT_EQ(read_file_bytes(folder.file("arena.2.db")), "own");
}

TEST(EpochFiles, AnOwnerOfAnEarlierEpochIsRefused) {
  const TestFolder folder;
  write_file_bytes(folder.file("arena.12.db"), "later");
  EXPECT_EQ(refusal(folder.path(), "arena", 9), "superseded");
  EXPECT_EQ(names(folder), std::vector<std::string>{"arena.12.db"});
  EXPECT_EQ(last_epoch(folder.path(), "arena"), 12u);
  EXPECT_EQ(last_epoch(folder.path(), "other"), 0u);
  EXPECT_EQ(last_epoch("/nowhere/at/all", "arena"), 0u);
}

TEST(EpochFiles, AnOwnerKnowsWhetherItHasSaved) {
  const TestFolder folder;
  const auto is_new = [&](std::uint64_t epoch) { return take_over(folder.path(), "arena", epoch)->is_new; };
  EXPECT_TRUE(is_new(3));
  write_file_bytes(folder.file("arena.3.db"), "saved");
  EXPECT_FALSE(is_new(3));
  EXPECT_TRUE(is_new(4));
}

// An owner that ended before its first save leaves an empty file.
TEST(EpochFiles, AnEmptyFileNeitherCountsNorReplacesAWorld) {
  const TestFolder folder;
  write_file_bytes(folder.file("arena.1.db"), "the world");
  write_file_bytes(folder.file("arena.2.db"), "");
  EXPECT_EQ(read_file_bytes(taken(folder, "arena", 3)), "the world");
  fs::remove(folder.file("arena.3.db"));
  remove_former(folder.path(), "arena", 3);
  EXPECT_EQ(names(folder), std::vector<std::string>{"arena.1.db"});
  write_file_bytes(folder.file("arena.4.db"), "");
  EXPECT_EQ(read_file_bytes(taken(folder, "arena", 4)), "the world") << "its own was empty";
}

TEST(EpochFiles, AnOwnerThatCannotBeginLeavesNothing) {
  const TestFolder folder;
  for (const char* const name : {"arena.1.db", "arena.1.db-wal", "arena.1.db.lock"})
    write_file_bytes(folder.file(name), "the world");
  const std::vector<std::string> before = names(folder);
  taken(folder, "arena", 2);
  EXPECT_EQ(names(folder).size(), 2 * before.size());
  discard(folder.path(), "arena", 2);
  EXPECT_EQ(names(folder), before);
}

TEST(EpochFiles, WorldsWithSimilarNamesAreApart) {
  const TestFolder folder;
  for (const char* const other : {"arena.7.8.db", "arena.x.db", "arena..db", "arena.07.db", "arena.7.db.new",
                                  "arena.db", "arenas.7.db", "arena.99999999999999999999.db", "7.db"})
    write_file_bytes(folder.file(other), "other");
  EXPECT_EQ(taken(folder, "arena", 1), folder.file("arena.1.db"));
  EXPECT_FALSE(fs::exists(folder.file("arena.1.db")));
  EXPECT_EQ(taken(folder, "arena.7", 9), folder.file("arena.7.9.db"));
  EXPECT_EQ(read_file_bytes(folder.file("arena.7.9.db")), "other");
}

TEST(EpochFiles, ACopyThatWasCutShortIsMadeAgain) {
  const TestFolder folder;
  write_file_bytes(folder.file("arena.1.db"), "the world");
  write_file_bytes(folder.file("arena.2.db.new"), "the wo");
  write_file_bytes(folder.file("arena.2.db-wal.new"), "of another copy");
  EXPECT_EQ(read_file_bytes(taken(folder, "arena", 2)), "the world");
  EXPECT_EQ(names(folder), (std::vector<std::string>{"arena.1.db", "arena.2.db"}));
}

// Each write fills the file with one letter.
TEST(EpochFiles, ACopyIsNeverOfTwoStates) {
  const TestFolder folder;
  const auto letters = [](char each) { return std::string(1 << 20, each); };
  write_file_bytes(folder.file("arena.1.db"), letters('a'));
  std::atomic<bool> done = false;
  std::thread owner([&] {
    for (int i = 0; !done; ++i) {
      std::fstream file(folder.file("arena.1.db"), std::ios::in | std::ios::out | std::ios::binary);
      file << letters(static_cast<char>('a' + i % 26));
    }
  });
  for (std::uint64_t epoch = 2; epoch < 4; ++epoch) {
    const core::Result<EpochFile> file = take_over(folder.path().string(), "arena", epoch);
    if (!file) {
      EXPECT_STREQ(file.error().reason, "busy");
      EXPECT_EQ(names(folder), std::vector<std::string>{"arena.1.db"});
      continue;
    }
    const std::string copy = read_file_bytes(file->path);
    EXPECT_TRUE(copy == letters(copy.front()));
    fs::remove(file->path);
  }
  done = true;
  owner.join();
}

TEST(EpochFiles, AMissingFolderIsAFileError) { EXPECT_EQ(refusal("/nowhere/at/all", "arena", 1), "file error"); }

TEST(EpochFiles, OnlyTheNewestFormerFileIsKept) {
  const TestFolder folder;
  for (const char* const name :
       {"arena.1.db", "arena.1.db-wal", "arena.1.db.lock", "arena.3.db", "arena.4.db", "arena.9.db", "other.1.db",
        "arena.2.db.new", "arena.2.db-wal.new", "arena.9.db.new", "other.1.db.new"})
    write_file_bytes(folder.file(name), "bytes");
  remove_former(folder.path(), "arena", 4);
  EXPECT_EQ(names(folder), (std::vector<std::string>{"arena.3.db", "arena.4.db", "arena.9.db", "arena.9.db.new",
                                                     "other.1.db", "other.1.db.new"}));
}

}  // namespace
}  // namespace mobula::store

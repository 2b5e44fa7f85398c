#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <mobula/process/files.hpp>

namespace mobula::process {
namespace {

namespace fs = std::filesystem;

TEST(Files, SyncSucceedsForAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_TRUE(sync_file(ends[1]));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(sync_file(ends[1])) << "the descriptor is closed";
}

TEST(Files, SyncIgnoresAMissingFolder) {
  sync_folder_of("/nonexistent/folder/file");
  sync_folder_of("file");
}

TEST(Files, OthersMayReadFollowsTheMode) {
  const fs::path path = fs::path(::testing::TempDir()) / ("files_test_" + std::to_string(::getpid()));
  EXPECT_FALSE(others_may_read(path)) << "the file does not exist";
  std::ofstream(path) << "secret";
  using fs::perms;
  fs::permissions(path, perms::owner_all);
  EXPECT_FALSE(others_may_read(path));
  fs::permissions(path, perms::owner_read | perms::group_read);
  EXPECT_TRUE(others_may_read(path));
  fs::permissions(path, perms::owner_read | perms::others_read);
  EXPECT_TRUE(others_may_read(path));
  fs::remove(path);
}

}  // namespace
}  // namespace mobula::process

#include <gtest/gtest.h>

#include <mobula/server/store/file_id.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::store {
namespace {

TEST(FileIds, AFileHasTheSameIdByAnyNameAndACopyAnother) {
  const TestFolder folder;
  write_file_bytes(folder.file("one"), "content");
  fs::create_hard_link(folder.file("one"), folder.file("same"));
  fs::create_symlink("one", folder.path() / "link");
  fs::copy_file(folder.file("one"), folder.file("copy"));
  const FileId one = file_at(folder.file("one")).value().value();
  EXPECT_EQ(file_at(folder.file("same")).value(), one);
  EXPECT_EQ(file_at(folder.file("link")).value(), one);
  EXPECT_NE(file_at(folder.file("copy")).value(), one);
}

TEST(FileIds, AMissingFileHasNone) {
  const TestFolder folder;
  write_file_bytes(folder.file("one"), "content");
  fs::create_symlink("loop", folder.path() / "loop");
  for (const char* path : {"none", "one/none", "loop"})
    EXPECT_EQ(file_at(folder.file(path)).value(), std::nullopt) << path;
}

TEST(FileIds, AnUnreachablePathIsAnErrorNotMissing) {
  EXPECT_STREQ(file_at(std::string(10'000, 'x')).error().reason, "file error");
}

}  // namespace
}  // namespace mobula::store

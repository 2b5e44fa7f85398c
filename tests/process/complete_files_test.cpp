#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mobula/process/complete_files.hpp>

namespace mobula::process {
namespace {

namespace fs = std::filesystem;

class CompleteFiles : public testing::Test {
 protected:
  CompleteFiles() : folder_(fs::temp_directory_path() / ("mobula_file_test." + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CompleteFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static NewFile file(const std::string& path, std::string_view text) {
    return {path, core::as_bytes(text.data(), text.size())};
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    const core::Result<core::Bytes> bytes = read_file(at(name), 1000);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : bytes.error().reason;
  }
  [[nodiscard]] auto count() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}); }

  fs::path folder_;
};

TEST_F(CompleteFiles, AreWrittenAndReplacedAtomically) {
  ASSERT_TRUE(write_files({file(at("a"), "one"), file(at("b"), "")}).ok());
  ASSERT_TRUE(write_files({file(at("a"), "two")}).ok());
  EXPECT_EQ(text("a"), "two");
  EXPECT_EQ(text("b"), "");
  EXPECT_EQ(count(), 2);
  EXPECT_STREQ(read_file(at("a"), 2).error().reason, "too large");
}

TEST_F(CompleteFiles, ALinkIsFollowedAndStays) {
  fs::create_directories(folder_ / "far");
  ASSERT_TRUE(write_files({file(at("far/a"), "old")}).ok());
  fs::create_symlink("far/a", folder_ / "link");
  ASSERT_TRUE(write_files({file(at("link"), "new")}).ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text("far/a"), "new");
}

TEST_F(CompleteFiles, RefuseToReplaceOtherKindsOfFiles) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  fs::create_directories(folder_ / "folder");
  fs::create_symlink("nowhere", folder_ / "loose");
  fs::create_symlink("pipe", folder_ / "to_pipe");
  for (const std::string name : {"pipe", "folder", "to_pipe"})
    EXPECT_EQ(write_files({file(at(name), "x")}).error().message,
              at(name) + ": is not a regular file and stays as it is");
  EXPECT_EQ(write_files({file(at("loose"), "x")}).error().message, at("loose") + ": is a link that leads nowhere");
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
  EXPECT_EQ(count(), 4);
}

TEST_F(CompleteFiles, PipesAndFoldersAreNotReadAsLevels) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  fs::create_directories(folder_ / "folder");
  for (const std::string name : {"pipe", "folder"}) {
    EXPECT_EQ(read_regular_file(at(name), 100).error().message, at(name) + ": is not a regular file");
    EXPECT_EQ(map_file(at(name), 100).error().message, at(name) + ": is not a regular file");
  }
  EXPECT_STREQ(read_regular_file(at("nothing"), 100).error().reason, "missing");
  EXPECT_STREQ(map_file(at("nothing"), 100).error().reason, "missing");
}

TEST_F(CompleteFiles, ARegularFileIsReadAndMappedUpToTheLimit) {
  ASSERT_TRUE(write_files({file(at("a"), "four"), file(at("empty"), "")}).ok());
  for (const std::string name : {"a", "empty"}) {
    const core::Result<core::Bytes> read = read_regular_file(at(name), 4);
    const core::Result<core::SharedBytes> mapped = map_file(at(name), 4);
    ASSERT_TRUE(read.ok() && mapped.ok()) << name;
    EXPECT_EQ(read->size(), name == "a" ? 4u : 0u);
    EXPECT_TRUE(std::ranges::equal(*read, mapped->view)) << name;
  }
  EXPECT_STREQ(read_regular_file(at("a"), 3).error().reason, "too large");
  EXPECT_STREQ(map_file(at("a"), 3).error().reason, "too large");
}

TEST_F(CompleteFiles, AllAreWrittenOrNone) {
  ASSERT_TRUE(write_files({file(at("old"), "old")}).ok());
  EXPECT_STREQ(write_files({file(at("old"), "new"), file(at("fresh"), "x"), file(at("no/such"), "x")}).error().reason,
               "not written");
  EXPECT_EQ(text("old"), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(CompleteFiles, OneFileIsRecognisedUnderTwoNames) {
  ASSERT_TRUE(write_files({file(at("a"), ""), file(at("b"), "")}).ok());
  fs::create_symlink("a", folder_ / "link");
  fs::create_hard_link(folder_ / "a", folder_ / "hard");
  EXPECT_TRUE(same_file(at("a"), at("link")));
  EXPECT_TRUE(same_file(at("a"), at("hard")));
  EXPECT_FALSE(same_file(at("a"), at("b")));
  EXPECT_FALSE(same_file(at("a"), at("none")));
  EXPECT_TRUE(same_file(at("none"), at("./none")));
  EXPECT_FALSE(same_file(at("none"), at("neither")));
}

}  // namespace
}  // namespace mobula::process

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mobula/core/hex.hpp>
#include <mobula/process/key_file.hpp>
#include <sstream>

namespace mobula::process {
namespace {

namespace fs = std::filesystem;
using fs::perms;

const std::string digits = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

class KeyFileTest : public testing::Test {
 protected:
  KeyFileTest() { fs::create_directories(folder_); }
  ~KeyFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) { return (folder_ / name).string(); }
  std::string write(const std::string& content, fs::perms permissions = fs::perms::owner_read) {
    const std::string file = path("given.key");
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << content;
    fs::permissions(file, permissions);
    return file;
  }
  std::string refusal(const std::string& file) {
    const core::Result<KeyFile> result = load_key_file(file);
    return result.ok() ? "loaded" : result.error().reason;
  }

  fs::path folder_ = fs::temp_directory_path() / ("mobula_key_file." + std::to_string(::getpid()));
};

TEST_F(KeyFileTest, AcceptsTrailingWhitespace) {
  for (const char* end : {"", "\n", "\r\n", " \t\n\n"}) {
    const core::Result<KeyFile> loaded = load_key_file(write(digits + end));
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(core::to_hex(loaded->key).substr(0, 40), "00112233445566778899aabbccddeeff00112233");
    EXPECT_FALSE(loaded->others_may_read);
  }
}

TEST_F(KeyFileTest, IsMalformedUnlessItIs64HexDigits) {
  for (const std::string& content :
       {std::string(), std::string("\n"), digits.substr(2), digits + "00", digits.substr(1), " " + digits,
        digits + "\n" + digits, digits.substr(1) + "g", std::string(5'000, '0'), std::string(64, '\0')}) {
    EXPECT_EQ(refusal(write(content)), "malformed") << content.substr(0, 200);
  }
  EXPECT_NE(load_key_file(write("x")).error().message.find("given.key: not a key"), std::string::npos);
}

TEST_F(KeyFileTest, ReportsAMissingFile) {
  EXPECT_EQ(refusal(path("nothing")), "cannot read");
  EXPECT_EQ(refusal(folder_.string()), "cannot read");
  EXPECT_EQ(load_key_file(path("nothing")).error().message, path("nothing") + ": No such file or directory");
}

TEST_F(KeyFileTest, ReportsWhetherOthersMayReadIt) {
  EXPECT_FALSE(load_key_file(write(digits, perms::owner_all))->others_may_read);
  EXPECT_TRUE(load_key_file(write(digits, perms::owner_read | perms::group_read))->others_may_read);
  EXPECT_TRUE(load_key_file(write(digits, perms::owner_read | perms::others_read))->others_may_read);
}

TEST_F(KeyFileTest, ASharedKeyThatOthersMayReadIsWarnedOf) {
  for (const bool others : {false, true}) {
    const std::string file = write(digits, perms::owner_read | (others ? perms::others_read : perms::none));
    testing::internal::CaptureStderr();
    const core::Result<core::SecretKey> key = load_shared_key(file, "process");
    const std::string log = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(log.find(file + ": others may read this key") != std::string::npos, others) << log;
  }
  EXPECT_STREQ(load_shared_key(path("missing"), "process").error().reason, "cannot read");
}

TEST_F(KeyFileTest, NewFileIsPrivateAndRoundTrips) {
  const ::mode_t before = ::umask(0);
  const core::Result<core::SecretKey> created = create_key_file(path("new.key"));
  ::umask(before);
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(fs::status(path("new.key")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const core::Result<KeyFile> loaded = load_key_file(path("new.key"));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->key, *created);
  EXPECT_FALSE(loaded->others_may_read);
  EXPECT_EQ(fs::file_size(path("new.key")), 65u);
  const core::Result<core::SecretKey> another = create_key_file(path("another.key"));
  ASSERT_TRUE(another.ok());
  EXPECT_NE(*another, *created);
}

TEST_F(KeyFileTest, NeverOverwritesAFile) {
  const std::string file = write("something else");
  fs::create_symlink(path("nowhere"), path("link"));
  for (const std::string& there : {file, path("link"), folder_.string()}) {
    const core::Result<core::SecretKey> created = create_key_file(there);
    ASSERT_FALSE(created.ok());
    EXPECT_STREQ(created.error().reason, "exists");
  }
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  EXPECT_EQ(content.str(), "something else");
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

TEST_F(KeyFileTest, ReportsWhyItCannotBeWritten) {
  const core::Result<core::SecretKey> created = create_key_file(path("no/such/folder/new.key"));
  ASSERT_FALSE(created.ok());
  EXPECT_STREQ(created.error().reason, "cannot write");
}

}  // namespace
}  // namespace mobula::process

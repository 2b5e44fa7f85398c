#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <headless/temporary_folder.hpp>
#include <mobula/core/random.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <sstream>

namespace mobula::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BanListTest : public testing::Test {
 protected:
  [[nodiscard]] std::string text() const {
    std::stringstream read;
    read << std::ifstream(path).rdbuf();
    return read.str();
  }
  void write(const std::string& content) const { std::ofstream(path) << content; }
  [[nodiscard]] BanList open() const { return *BanList::open(path); }

  const client::TemporaryFolder temporary = std::move(*client::TemporaryFolder::make());
  const std::filesystem::path folder = temporary.path();
  const std::string path = (folder / "bans.jsonl").string();
};

TEST_F(BanListTest, ABanExpiresAtItsEnd) {
  BanList list;
  ASSERT_TRUE(list.add({"eve", "cheating", 200}, 100).ok());
  ASSERT_TRUE(list.add({"bob", "rude", 0}, 100).ok());
  ASSERT_NE(list.find("eve", 199), nullptr);
  EXPECT_EQ(list.find("eve", 199)->reason, "cheating");
  EXPECT_EQ(list.find("eve", 200), nullptr);
  EXPECT_NE(list.find("bob", 1'000'000'000'000), nullptr) << "it never expires";
  EXPECT_EQ(list.find("ada", 100), nullptr);
  EXPECT_EQ(list.find("", 100), nullptr);
  EXPECT_EQ(list.list(199).size(), 2u);
  EXPECT_THAT(list.list(200), ElementsAre(Ban{"bob", "rude", 0}));
}

TEST_F(BanListTest, ASecondBanReplacesTheFirstAndCanBeLifted) {
  BanList list;
  ASSERT_TRUE(list.add({"eve", "cheating", 200}, 100).ok());
  ASSERT_TRUE(list.add({"eve", "cheating again", 0}, 100).ok());
  EXPECT_THAT(list.list(0), ElementsAre(Ban{"eve", "cheating again", 0}));
  EXPECT_TRUE(list.remove("eve").ok());
  EXPECT_EQ(list.find("eve", 100), nullptr);
  EXPECT_STREQ(list.remove("eve").error().reason, "not banned");
}

TEST_F(BanListTest, InvalidBansAreRefused) {
  BanList list;
  EXPECT_STREQ(list.add({"", "nobody", 0}, 0).error().reason, "no account");
  EXPECT_STREQ(list.add({std::string(2000, 'x'), "", 0}, 0).error().reason, "too long");
  EXPECT_STREQ(list.add({"eve", std::string(2000, 'x'), 0}, 0).error().reason, "too long");
  EXPECT_STREQ(list.add({"eve", "two\nlines", 0}, 0).error().reason, "not text");
  EXPECT_STREQ(list.add({"\xff", "", 0}, 0).error().reason, "not text");
  EXPECT_STREQ(list.add({"0x41", "", 0}, 0).error().reason, "no account");
  EXPECT_THAT(list.add({"0x41", "", 0}, 0).error().message, HasSubstr("or 0x30783431 if it is the text"));
  EXPECT_TRUE(list.list(0).empty());
}

TEST_F(BanListTest, AFileHoldsEveryBanAtOnce) {
  const std::string eve = "{\"account\":\"eve\",\"reason\":\"said \\\"{\\\" and more\",\"until\":200}\n";
  const std::string bob = "{\"account\":\"bob\",\"reason\":\"\"}\n";
  std::optional<BanList> first = open();
  BanList& list = *first;
  ASSERT_TRUE(list.add({"eve", "said \"{\" and more", 200}, 100).ok());
  EXPECT_EQ(text(), eve) << "written at once, not at the end";
  ASSERT_TRUE(list.add({"bob", "", 0}, 100).ok());
  EXPECT_EQ(text(), bob + eve);
  ASSERT_TRUE(list.add({"anna", "", 0}, 100).ok());
  ASSERT_TRUE(list.remove("anna").ok());
  EXPECT_EQ(text(), bob + eve);
  const core::Result<BanList> second = BanList::open(path);
  ASSERT_FALSE(second.ok()) << "two lists would overwrite each other";
  EXPECT_STREQ(second.error().reason, "in use");
  first.reset();
  BanList again = open();
  EXPECT_THAT(again.list(0), ElementsAre(Ban{"bob", "", 0}, Ban{"eve", "said \"{\" and more", 200}));
  ASSERT_TRUE(again.add({"ada", "", 0}, 300).ok());
  EXPECT_THAT(text(), testing::Not(HasSubstr("eve"))) << "expired bans are not stored";
}

TEST_F(BanListTest, ABanOfNoAccountInAFileIsKeptAndCanBeLifted) {
  write("{\"account\":\"0x41\",\"reason\":\"\"}\n");
  BanList list = open();
  EXPECT_NE(list.find("0x41", 0), nullptr);
  EXPECT_TRUE(list.remove("0x41").ok());
}

TEST_F(BanListTest, AMalformedFileIsRefusedWithItsLine) {
  for (const char* line : {"nonsense", "[]", "{}", "{\"account\":7}", "{\"account\":\"\",\"reason\":\"\"}",
                           "{\"account\":\"eve\",\"until\":-1}", "{\"account\":\"eve\",\"until\":1.5}",
                           "{\"account\":\"eve\",\"untill\":1}", "{\"account\":\"eve\\n\"}", "{\"account\":\"eve\""}) {
    SCOPED_TRACE(line);
    write(std::string("{\"account\":\"bob\"}\n\n") + line + "\n");
    const core::Result<BanList> read = BanList::open(path);
    ASSERT_FALSE(read.ok());
    EXPECT_STREQ(read.error().reason, "bad bans");
    EXPECT_THAT(read.error().message, HasSubstr("bans.jsonl:3: "));
  }
  std::filesystem::create_directory(folder / "sub");
  EXPECT_STREQ(BanList::open((folder / "sub").string()).error().reason, "missing") << "a folder";
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_STREQ(BanList::open((folder / "pipe").string()).error().reason, "missing") << "it would be waited for";
}

TEST_F(BanListTest, ABanThatCannotBeWrittenIsInForce) {
  const std::filesystem::path inside = folder / "inside";
  EXPECT_STREQ(BanList::open((inside / "bans").string()).error().reason, "not writable");
  std::filesystem::create_directory(inside);
  BanList list = *BanList::open((inside / "bans").string());
  std::filesystem::remove_all(inside);
  EXPECT_STREQ(list.add({"eve", "", 0}, 0).error().reason, "not written");
  EXPECT_NE(list.find("eve", 0), nullptr);
}

TEST_F(BanListTest, PrintsReasonAndEnd) {
  EXPECT_EQ(to_string(Ban{"eve", "cheating", 0}), "cheating");
  EXPECT_EQ(to_string(Ban{"eve", "cheating", 1'700'000'000}), "cheating, until 2023-11-14 22:13 UTC");
  EXPECT_THAT(to_string(Ban{"eve", "cheating", ~0ull}), HasSubstr("cheating"));
}

}  // namespace
}  // namespace mobula::server

#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/core/text.hpp>
#include <mobula/wire/player_name.hpp>

namespace mobula::wire {
namespace {

TEST(PlayerName, TextOfAnyLanguageStays) {
  for (const char* name : {"", "anna", "Zo\xc3\xab", "\xc5\x81ukasz", "\xe7\x8e\xa9\xe5\xae\xb6", "\xf0\x9f\x8e\xb2"})
    EXPECT_EQ(player_name(name), name);
}

TEST(PlayerName, UnprintableCharactersAreReplaced) {
  EXPECT_EQ(player_name("a\nb\x1b[m"), "a?b?[m");
  EXPECT_EQ(player_name("a\xff\xc3z"), "a??z");
  EXPECT_EQ(player_name("\xe2\x80\xae"
                        "abc"),
            "?abc")
      << "U+202E turns the direction of text";
}

TEST(PlayerName, ALongNameEndsWithAWholeCharacter) {
  const std::string letters(23, 'a');
  EXPECT_EQ(player_name(letters + "bc"), letters + "b");
  EXPECT_EQ(player_name(letters + "\xc3\xa9"), letters) << "23 bytes and a letter of two";
  EXPECT_EQ(player_name(std::string(22, 'a') + "\xc3\xa9"), std::string(22, 'a') + "\xc3\xa9");
}

TEST(PlayerName, AnyBytesGivePrintableUtf8WithinTheLimit) {
  core::Random random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random.below(64), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    const std::string name = player_name(bytes);
    EXPECT_LE(name.size(), player_name_bytes_max);
    EXPECT_TRUE(core::is_printable(name)) << name;
    EXPECT_EQ(player_name(name), name);
  }
}

}  // namespace
}  // namespace mobula::wire

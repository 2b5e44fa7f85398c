#include <gtest/gtest.h>

#include <mobula/core/text.hpp>
#include <string>

namespace mobula::core {
namespace {

using namespace std::string_literals;

// Slow reference implementation of the definition.
std::string encode(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  const auto tail = [&](std::uint32_t shift) { return byte(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), tail(0)};
  if (point < 0x10000) return {byte(0xE0 | point >> 12), tail(6), tail(0)};
  return {byte(0xF0 | point >> 18), tail(12), tail(6), tail(0)};
}

TEST(Text, EveryCodePointIsUtf8AndNoSurrogateIs) {
  for (std::uint32_t point = 0; point <= 0x110000; ++point) {
    const bool good = point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
    ASSERT_EQ(is_utf8("a" + encode(point) + "b"), good) << point;
    const bool turns = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029 || turns;
    ASSERT_EQ(is_printable("a" + encode(point) + "b"), good && !control) << point;
  }
}

TEST(Text, EveryPairOfBytesAgreesWithItsCodePoints) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const bool good =
          (first < 0x80 && second < 0x80) || (first >= 0xC2 && first < 0xE0 && second >= 0x80 && second < 0xC0);
      ASSERT_EQ(is_utf8(text), good) << first << ' ' << second;
    }
  }
}

TEST(Text, RefusesOverlongAndBrokenForms) {
  for (const std::string& bad : {"\xc0\x80"s, "\xc1\xbf"s, "\xe0\x9f\xbf"s, "\xf0\x8f\xbf\xbf"s, "\xf4\x90\x80\x80"s,
                                 "\xf5\x80\x80\x80"s, "\xff"s, "\x80"s, "\xe2\x82"s, "a\xc3"s, "\xe2(\xa1"s})
    EXPECT_FALSE(is_utf8(bad));
  EXPECT_TRUE(is_utf8("a\0b"s));
  EXPECT_FALSE(is_printable("a\0b"s));
  EXPECT_TRUE(is_printable("Träger €"));
  EXPECT_FALSE(is_printable("\x1b[2J"));
  EXPECT_TRUE(is_printable(""));
}

TEST(Text, ShownTextIsAlwaysPrintable) {
  EXPECT_EQ(shown("abc ä😀", 100), "abc ä😀");
  EXPECT_EQ(shown("a\nb\x1b[1m\xFF\xE4.", 100), "a\uFFFDb\uFFFD[1m\uFFFD\uFFFD.");
  EXPECT_EQ(shown("banned \u202Eym", 100), "banned \uFFFDym");
  EXPECT_EQ(shown("abcdef", 6), "abcdef");
  EXPECT_EQ(shown("abcdef", 5), "abcde...");
  EXPECT_EQ(shown("aääää", 4), "aä...") << "no character is split";
}

TEST(Text, CountsOneAndMany) {
  EXPECT_EQ(counted(0, "entity", "entities"), "0 entities");
  EXPECT_EQ(counted(1, "entity", "entities"), "1 entity");
  EXPECT_EQ(counted(2, "entity", "entities"), "2 entities");
}

TEST(Text, LocatesCharactersByLineAndColumn) {
  const std::string_view text = "a\u00e4b\n\ncd";
  const auto place = [&](std::size_t offset) {
    const LineColumn at = locate(text, offset);
    return std::to_string(at.line) + ':' + std::to_string(at.column);
  };
  EXPECT_EQ(place(0), "1:1");
  EXPECT_EQ(place(1), "1:2");
  EXPECT_EQ(place(3), "1:3") << "two bytes are one character";
  EXPECT_EQ(place(5), "2:1");
  EXPECT_EQ(place(6), "3:1");
  EXPECT_EQ(place(text.size()), "3:3");
}

TEST(Text, TrimsSurroundingWhitespace) {
  EXPECT_EQ(trimmed(" \t\r\na b\n "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace mobula::core

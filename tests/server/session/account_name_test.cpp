#include <gtest/gtest.h>

#include <mobula/server/session/account_name.hpp>

namespace mobula::server {
namespace {

using namespace std::string_literals;

TEST(AccountName, IsPrintableTextOrHex) {
  const std::pair<std::string, std::string> table[] = {
      {"anna", "anna"},
      {"\xc5\x81ukasz", "\xc5\x81ukasz"},  // Łukasz
      {"e\xcc\x81", "e\xcc\x81"},          // é as e and an accent
      {"\xc3\xa9", "\xc3\xa9"},            // é as one letter
      {"a\xe2\x80\xae", "0x61e280ae"},     // U+202E turns the direction of text
      {"a\0b"s, "0x610062"},
      {"\xff", "0xff"},
      {"A", "A"},
      {"0x41", "0x30783431"},
      {std::string(256, 'x'), std::string(256, 'x')},
  };
  for (const auto& [account, name] : table) {
    EXPECT_EQ(account_name(account), name);
    EXPECT_TRUE(is_account_name(name)) << name;
  }
}

TEST(AccountName, TextThatNoAccountHasIsRecognised) {
  // Hex of printable text, hex of the empty account, upper case, an odd digit, no hex, and text that is not printable.
  for (const std::string& text : {"0xc581756b61737a"s, "0x"s, "0xFF"s, "0xf"s, "0xyz"s, "\xff"s, "a\nb"s})
    EXPECT_FALSE(is_account_name(text)) << text;
}

}  // namespace
}  // namespace mobula::server

#include <gtest/gtest.h>

#include <mobula/core/json_text.hpp>
#include <mobula/core/text.hpp>
#include <nlohmann/json.hpp>

namespace mobula::core {
namespace {

TEST(JsonText, QuotesAndControlCharactersAreEscaped) {
  EXPECT_EQ(json_text(""), "\"\"");
  EXPECT_EQ(json_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_text("\n\t\x1b\x7f\u009b"), R"("\n\u0009\u001b\u007f\u009b")");
  EXPECT_EQ(json_text("\u2028 \u202E \u2066"), R"("\u2028 \u202e \u2066")");
  EXPECT_EQ(json_text("\u00A0ä😀"), "\"\u00A0ä😀\"") << "no control characters";
}

TEST(JsonText, AnyBytesBecomePrintableJson) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string written = json_text(text);
      ASSERT_TRUE(is_printable(written)) << first << ' ' << second;
      const nlohmann::json read = nlohmann::json::parse(written, nullptr, false);
      ASSERT_TRUE(read.is_string()) << first << ' ' << second;
      if (is_utf8(text)) {
        ASSERT_EQ(read, text);
      }
    }
  }
}

TEST(JsonText, TruncatesBetweenCharacters) {
  EXPECT_EQ(json_text("abcd", 4), "\"abc...\"");
  EXPECT_EQ(json_text("abc", 4), "\"abc\"");
  EXPECT_EQ(json_text("ä\nä\nä", 6), "\"ä\\nä...\"");
}

TEST(JsonText, AMistakeIsDescribedAtItsOwnToken) {
  EXPECT_EQ(describe_json_mistake("[1,\n  nope]", 10, JsonMistake::syntax),
            "line 2, column 3: expected JSON, not 'nope'");
  EXPECT_EQ(describe_json_mistake("[1", 3, JsonMistake::syntax),
            "line 1, column 3: expected JSON, not the end of the text");
  EXPECT_EQ(describe_json_mistake("", 1, JsonMistake::syntax),
            "line 1, column 1: expected JSON, not the end of the text");
  EXPECT_EQ(describe_json_mistake("[1e999]", 6, JsonMistake::number_too_large),
            "line 1, column 2: the number is too large; expected at most 1.7976931348623157e308");
}

}  // namespace
}  // namespace mobula::core

#include <gtest/gtest.h>

#include <mobula/resource/compiler/json.hpp>
#include <mobula/resource/compiler/json_syntax.hpp>

namespace mobula::resource {
namespace {

std::string syntax_error(std::string text) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("f", std::move(text));
  const auto parsed = parse_json(file, diagnostics);
  if (diagnostics.errors().empty()) return parsed ? "" : "no value and no error";
  return to_string(diagnostics.errors().front());
}

struct BadSyntax {
  const char* text;
  const char* error;
};

constexpr BadSyntax bad_syntax[] = {
    {"", "f:1:1: the file has no value; expected an object"},
    {" // nothing\n", "f:2:1: the file has no value; expected an object"},
    {"[1] 2", "f:1:5: expected the end of the file, not '2'"},
    {"{\"a\":tru}", "f:1:6: expected a value, not 'tru'"},
    {"{\"a\":'x'}", "f:1:6: expected a value, not '''"},
    {"[+5]", "f:1:2: expected a value, not '+5'"},
    {"[.5]", "f:1:2: expected a value, not '.5'"},
    {"[,]", "f:1:2: expected a value, not ','"},
    {"[}", "f:1:2: expected a value, not '}'"},
    {"[1,,2]", "f:1:4: expected a value, not ','"},
    {"[", "f:1:2: expected a value, not the end of the file"},
    {"[NaN]", "f:1:2: not a number; expected a finite number"},
    {"[1,\n -Infinity]", "f:2:2: not a number; expected a finite number"},
    {"{,}", "f:1:2: expected a name in double quotes, or '}', not ','"},
    {"{a:1}", "f:1:2: expected a name in double quotes, or '}', not 'a'"},
    {"{\xe2\x80\x9c"
     "a\":1}",
     "f:1:2: expected a name in double quotes, or '}', not '\xe2\x80\x9c'"},
    {"{\"a\" 1}", "f:1:6: expected ':' after the name, not '1'"},
    {"{\"a\":1 \"b\":2}", "f:1:8: expected ',' or '}' after the value, not '\"'"},
    {"{\"a\":0x10}", "f:1:7: expected ',' or '}' after the value, not 'x10'"},
    {"{\"a\":1", "f:1:7: expected ',' or '}' after the value, not the end of the file"},
    {"[01]", "f:1:3: expected ',' or ']' after the value, not '1'"},
    {"[1\x01]", "f:1:3: expected ',' or ']' after the value, not a control character"},
    {"[1.]", "f:1:4: expected a digit after '.', not ']'"},
    {"[1e]", "f:1:4: expected a digit in the exponent, not ']'"},
    {"[1e400]", "f:1:2: the number is too large; expected at most 1.7976931348623157e308"},
    {R"(["\q"])", R"(f:1:3: unknown escape; expected \" \\ \/ \b \f \n \r \t or \u and four hex digits)"},
    {"[\"a\nb\"]", "f:1:4: the line ends inside a text; expected its closing quotation mark, or \\n"},
    {"[\"a\tb\"]", "f:1:4: a control character in a text; expected an escape, such as \\t"},
    {R"(["\u00g0"])", "f:1:3: expected four hex digits after \\u"},
    {R"(["\ud83d"])", R"(f:1:3: half of a surrogate pair; expected both, such as \ud83d\ude00)"},
    {R"(["\ude00"])", R"(f:1:2: half of a surrogate pair; expected both, such as \ud83d\ude00)"},
    {R"({"\ude00":1})", R"(f:1:2: half of a surrogate pair; expected both, such as \ud83d\ude00)"},
    {"[1, \"abc", "f:1:5: the text has no closing quotation mark"},
    {"[\"\xff\"]", "f:1:3: a byte that is not UTF-8; expected a file in UTF-8"},
    {"[1 /* one ]", "f:1:4: the comment has no end; expected */"},
    {"[1, / 2]", "f:1:5: expected a comment after '/': // or /*"},
};

TEST(JsonSyntax, EveryMistakeHasItsPlaceAndWhatWasExpected) {
  for (const BadSyntax& bad : bad_syntax) {
    SCOPED_TRACE(bad.text);
    EXPECT_EQ(syntax_error(bad.text), bad.error);
  }
}

TEST(JsonSyntax, NextTokenIsBehindBlanksSeparatorsAndComments) {
  EXPECT_EQ(next_token("[1]", 0), 0u);
  EXPECT_EQ(next_token("1 ,\t\r\n]} // two\n /* 3 */ 4", 1), 25u);
  EXPECT_EQ(next_token("1 // to the end", 1), 15u);
  EXPECT_EQ(next_token("1 /* open", 1), 2u);
  EXPECT_EQ(next_token("1 /*/ 2", 1), 2u);
  EXPECT_EQ(next_token("1", 1), 1u);
}

}  // namespace
}  // namespace mobula::resource

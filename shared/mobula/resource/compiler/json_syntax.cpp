#include <algorithm>
#include <array>
#include <cctype>
#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/compiler/json_syntax.hpp>

namespace mobula::resource {
namespace {

// A mistake of the whole token is reported at its first character, any other where the reader stopped.
enum class Reported { at_token, where_it_stopped };

struct Mistake {
  rapidjson::ParseErrorCode code;
  Reported reported;
  std::string_view message;
  bool names_found = false;  // the message ends with what stands there instead
};

constexpr Mistake mistakes[] = {
    {rapidjson::kParseErrorDocumentEmpty, Reported::where_it_stopped, "the file has no value; expected an object"},
    {rapidjson::kParseErrorDocumentRootNotSingular, Reported::where_it_stopped, "expected the end of the file", true},
    {rapidjson::kParseErrorValueInvalid, Reported::at_token, "expected a value", true},
    {rapidjson::kParseErrorObjectMissName, Reported::where_it_stopped, "expected a name in double quotes, or '}'",
     true},
    {rapidjson::kParseErrorObjectMissColon, Reported::where_it_stopped, "expected ':' after the name", true},
    {rapidjson::kParseErrorObjectMissCommaOrCurlyBracket, Reported::where_it_stopped,
     "expected ',' or '}' after the value", true},
    {rapidjson::kParseErrorArrayMissCommaOrSquareBracket, Reported::where_it_stopped,
     "expected ',' or ']' after the value", true},
    {rapidjson::kParseErrorStringUnicodeEscapeInvalidHex, Reported::where_it_stopped,
     "expected four hex digits after \\u"},
    {rapidjson::kParseErrorStringUnicodeSurrogateInvalid, Reported::where_it_stopped, half_pair},
    {rapidjson::kParseErrorStringMissQuotationMark, Reported::at_token, "the text has no closing quotation mark"},
    {rapidjson::kParseErrorStringInvalidEncoding, Reported::where_it_stopped,
     "a byte that is not UTF-8; expected a file in UTF-8"},
    {rapidjson::kParseErrorNumberTooBig, Reported::at_token, core::json_number_too_large},
    {rapidjson::kParseErrorNumberMissFraction, Reported::where_it_stopped, "expected a digit after '.'", true},
    {rapidjson::kParseErrorNumberMissExponent, Reported::where_it_stopped, "expected a digit in the exponent", true},
};

bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("+-._$").find(c) != std::string_view::npos;
}

// Returns the word, or the one character, that starts there.
std::string_view word_at(std::string_view text, std::size_t offset) {
  constexpr std::size_t bytes_max = 40;
  const std::string_view rest = text.substr(offset, bytes_max);
  const auto end = std::ranges::find_if_not(rest, continues_word);
  if (end != rest.begin()) return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  std::string_view after = rest;
  core::take_code_point(after);
  return rest.substr(0, rest.size() - after.size());
}

// Returns what stands there, for "expected …, not …".
std::string found_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the file";
  const std::string_view word = word_at(text, offset);
  if (word.empty()) return "a byte that is not UTF-8";
  return core::is_printable(word) ? core::format("'{}'", word) : "a control character";
}

bool is_not_finite(std::string_view word) {
  static constexpr std::array<std::string_view, 4> words{"NaN", "nan", "Inf", "inf"};
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return std::ranges::any_of(words, [word](std::string_view each) { return word.starts_with(each); });
}

std::string describe_escape(std::string_view text, std::size_t offset) {
  if (text[offset] == '\\') return R"(unknown escape; expected \" \\ \/ \b \f \n \r \t or \u and four hex digits)";
  const bool line_ends = text[offset] == '\n' || text[offset] == '\r';
  return line_ends ? R"(the line ends inside a text; expected its closing quotation mark, or \n)"
                   : R"(a control character in a text; expected an escape, such as \t)";
}

// The reader reports both mistakes of comments as "unspecific".
std::string describe_comment(std::string_view text, std::size_t token) {
  return text.substr(token).starts_with("/*") ? "the comment has no end; expected */"
                                              : "expected a comment after '/': // or /*";
}

}  // namespace

std::size_t next_token(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    from = std::min(text.find_first_not_of(" \t\r\n,:]}", from), text.size());
    const std::string_view rest = text.substr(from);
    const bool line = rest.starts_with("//");
    if (!line && !rest.starts_with("/*")) return from;
    const std::size_t end = line ? text.find('\n', from) : text.find("*/", from + 2);
    if (end == std::string_view::npos) return line ? text.size() : from;
    from = end + (line ? 1 : 2);
  }
  return text.size();
}

SyntaxError describe_syntax(rapidjson::ParseErrorCode code, std::string_view text, std::size_t offset,
                            std::size_t token) {
  if (code == rapidjson::kParseErrorUnspecificSyntaxError) return {token, describe_comment(text, token)};
  if (code == rapidjson::kParseErrorStringEscapeInvalid) return {offset, describe_escape(text, offset)};
  const std::size_t start = std::min(token, offset);  // next_token() passes brackets and commas in wrong places
  if (code == rapidjson::kParseErrorValueInvalid && is_not_finite(text.substr(start)))
    return {start, "not a number; expected a finite number"};
  const Mistake* mistake = std::ranges::find(mistakes, code, &Mistake::code);
  if (mistake == std::end(mistakes)) return {offset, "expected JSON"};
  const std::size_t at = mistake->reported == Reported::at_token ? start : offset;
  std::string message(mistake->message);
  if (mistake->names_found) message += core::format(", not {}", found_at(text, at));
  return {at, std::move(message)};
}

}  // namespace mobula::resource

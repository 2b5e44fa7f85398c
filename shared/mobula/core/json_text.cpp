#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {
namespace {

constexpr std::size_t mistake_bytes_max = 40;

// Returns where the number or word begins that ends there. Other tokens have one character.
std::size_t begin_of_token(std::string_view text, std::size_t end) {
  const auto continues = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+';
  };
  std::size_t begin = end == 0 ? 0 : end - 1;
  while (begin > 0 && continues(text[begin]) && continues(text[begin - 1])) --begin;
  return begin;
}

}  // namespace

std::string describe_json_mistake(std::string_view text, std::size_t end, JsonMistake mistake) {
  const bool is_end = end > text.size();
  const std::size_t begin = is_end ? text.size() : begin_of_token(text, end);
  const LineColumn at = locate(text, begin);
  if (mistake == JsonMistake::number_too_large)
    return core::format("line {}, column {}: {}", at.line, at.column, json_number_too_large);
  const std::string found =
      is_end ? "the end of the text" : "'" + shown(text.substr(begin, end - begin), mistake_bytes_max) + "'";
  return core::format("line {}, column {}: expected JSON, not {}", at.line, at.column, found);
}

std::string json_text(std::string_view text, std::size_t bytes_max) {
  std::string result = "\"";
  while (!text.empty()) {
    if (result.size() >= bytes_max) return result + "...\"";
    std::string_view rest = text;
    const std::uint32_t point = take_code_point(rest);
    if (point == no_code_point) {
      result += "\uFFFD";
      rest.remove_prefix(1);
    } else if (point == '"' || point == '\\') {
      result += {'\\', static_cast<char>(point)};
    } else if (point == '\n') {
      result += "\\n";
    } else if (is_control(point)) {
      result += core::format("\\u{:04x}", point);
    } else {
      result += text.substr(0, text.size() - rest.size());
    }
    text = rest;
  }
  return result + '"';
}

}  // namespace mobula::core

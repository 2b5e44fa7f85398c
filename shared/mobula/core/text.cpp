#include <cstddef>
#include <cstdint>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {

bool is_control(std::uint32_t point) {
  const auto within = [point](std::uint32_t first, std::uint32_t last) { return point >= first && point <= last; };
  return point < 0x20 || within(0x7F, 0x9F) || within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

std::uint32_t take_code_point(std::string_view& text) {
  if (text.empty()) return no_code_point;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || text.size() < length) return no_code_point;
  std::uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return no_code_point;
    point = point << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length; smaller ones would be overlong
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < least[length] || point > 0x10FFFF || surrogate) return no_code_point;
  text.remove_prefix(length);
  return point;
}

bool is_utf8(std::string_view text) {
  while (!text.empty())
    if (take_code_point(text) == no_code_point) return false;
  return true;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::uint32_t point = take_code_point(text);
    if (point == no_code_point || is_control(point)) return false;
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return core::format("{} {}", count, count == 1 ? one : many);
}

LineColumn locate(std::string_view text, std::size_t offset) {
  LineColumn at;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u) {
      ++at.column;  // bytes that continue a character do not count
    }
  }
  return at;
}

std::string shown(std::string_view text, std::size_t bytes_max) {
  std::string result;
  while (!text.empty()) {
    std::string_view rest = text;
    const std::uint32_t point = take_code_point(rest);
    if (point == no_code_point) rest.remove_prefix(1);
    const bool printable = point != no_code_point && !is_control(point);
    const std::string_view piece = printable ? text.substr(0, text.size() - rest.size()) : "\uFFFD";
    if (result.size() + piece.size() > bytes_max) return result + "...";
    result += piece;
    text = rest;
  }
  return result;
}

}  // namespace mobula::core

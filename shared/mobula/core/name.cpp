#include <algorithm>
#include <cstddef>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {
namespace {

constexpr std::size_t name_bytes_max = 64;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_good_name(std::string_view text) {
  if (text.empty() || text.size() > name_bytes_max || !is_letter_or_digit(text.front())) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

Status check_name(std::string_view text) {
  if (is_good_name(text)) return Done{};
  return Error{"bad name",
               format("'{}' is no name; expected 1 to 64 letters, digits, '-', '_' and '.', beginning with a "
                      "letter or digit",
                      shown(text, 40))};
}

}  // namespace mobula::core

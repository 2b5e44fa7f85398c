// Names of worlds, and of nodes of a cluster. They stand in URLs, log lines, keys and labels of metrics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mobula::core {

inline constexpr std::size_t name_bytes_max = 64;
/// The rule of is_good_name(), for errors.
inline constexpr std::string_view name_rule =
    "1 to 64 letters, digits, '-', '_' and '.', beginning with a letter or digit";

/// Returns true for 1 to 64 letters, digits, '-', '_' and '.' of ASCII that begin with a letter or digit.
inline bool is_good_name(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.size() > name_bytes_max || !is_letter_or_digit(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace mobula::core

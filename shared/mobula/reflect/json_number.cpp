#include <algorithm>
#include <cstdint>
#include <limits>
#include <mobula/core/from_chars.hpp>
#include <mobula/reflect/json_number.hpp>

namespace mobula::reflect {
namespace {

// Parses the exponent. Values beyond an integer saturate; no number of digits can compensate them.
std::int64_t exponent_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = core::from_chars(text.data(), text.data() + text.size(), exponent);
  constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max() / 2;
  if (read.ec == std::errc::result_out_of_range) return text.starts_with('-') ? -beyond : beyond;
  return std::clamp(exponent, -beyond, beyond);
}

// Returns whether a nonzero number is below 1.
bool is_below_one(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, end);
  const std::int64_t exponent = end == text.size() ? 0 : exponent_of(text.substr(end + 1));
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  const std::int64_t before_point = first < point ? point - first : point + 1 - first;  // 1 for 7, 0 for .7, -1 for .07
  return before_point + exponent <= 0;
}

}  // namespace

double read_json_number(std::string_view text) {
  double number = 0;
  const auto read = core::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size())
    return std::numeric_limits<double>::quiet_NaN();
  if (read.ec == std::errc()) return number;
  // from_chars reports "out of range" at both ends.
  const double end = is_below_one(text) ? 0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -end : end;
}

std::optional<std::string> whole_digits(std::string_view text) {
  const std::string_view sign = text.starts_with('-') ? "-" : "";
  text.remove_prefix(sign.size());
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, end));
  const std::size_t point = std::min(digits.find('.'), digits.size());
  digits.erase(point, 1);
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return std::string(sign) + "0";
  digits.erase(digits.find_last_not_of('0') + 1);
  digits.erase(0, first);
  const std::int64_t exponent = end == text.size() ? 0 : exponent_of(text.substr(end + 1));
  const std::int64_t before_point = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent;
  if (before_point < static_cast<std::int64_t>(digits.size())) return std::nullopt;
  digits.resize(static_cast<std::size_t>(std::min<std::int64_t>(before_point, 21)), '0');
  return std::string(sign) + digits;
}

}  // namespace mobula::reflect

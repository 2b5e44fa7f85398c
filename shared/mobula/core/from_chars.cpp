#include <mobula/core/from_chars.hpp>

#if !defined(__cpp_lib_to_chars)
#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>

namespace mobula::core {
namespace {

fast_float::chars_format format_of(std::chars_format format) {
  if (format == std::chars_format::fixed) return fast_float::chars_format::fixed;
  if (format == std::chars_format::scientific) return fast_float::chars_format::scientific;
  return fast_float::chars_format::general;
}

// Returns whether a digit of the number, which ends before `end`, is not zero.
bool is_nonzero(const char* first, const char* end) {
  const char* const digits_end = std::find_if(first, end, [](char c) { return c == 'e' || c == 'E'; });
  return std::any_of(first, digits_end, [](char c) { return '1' <= c && c <= '9'; });
}

}  // namespace

std::from_chars_result from_chars(const char* first, const char* last, double& value, std::chars_format format) {
  double parsed = 0;
  const auto [end, error] = fast_float::from_chars(first, last, parsed, format_of(format));
  if (error != std::errc()) return {end, error};
  // fast_float 3.9 accepts numbers that are too large or too small.
  if ((parsed == 0 || std::isinf(parsed)) && is_nonzero(first, end)) return {end, std::errc::result_out_of_range};
  value = parsed;
  return {end, std::errc()};
}

}  // namespace mobula::core
#endif

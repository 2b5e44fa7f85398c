#include <mobula/core/from_chars.hpp>

#if !defined(__cpp_lib_to_chars)
#include <fast_float/fast_float.h>

namespace mobula::core {
namespace {

fast_float::chars_format format_of(std::chars_format format) {
  if (format == std::chars_format::fixed) return fast_float::chars_format::fixed;
  if (format == std::chars_format::scientific) return fast_float::chars_format::scientific;
  return fast_float::chars_format::general;
}

}  // namespace

std::from_chars_result from_chars(const char* first, const char* last, double& value, std::chars_format format) {
  double parsed = 0;
  const auto [end, error] = fast_float::from_chars(first, last, parsed, format_of(format));
  if (error == std::errc()) value = parsed;  // a number out of range changes nothing
  return {end, error};
}

}  // namespace mobula::core
#endif

// core::from_chars is std::from_chars. libc++ 19 has none of floating-point numbers, and gets one with the same values.
#pragma once

#include <charconv>

namespace mobula::core {

using std::from_chars;

#if !defined(__cpp_lib_to_chars)
/// Parses the nearest double. Differs from the standard's in nothing.
std::from_chars_result from_chars(const char* first, const char* last, double& value,
                                  std::chars_format format = std::chars_format::general);
#endif

}  // namespace mobula::core

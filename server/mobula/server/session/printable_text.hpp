#pragma once

#include <string>
#include <string_view>

namespace mobula::server {

/// Makes untrusted text safe to log: bytes that are not printable ASCII become '?', the rest is truncated.
inline std::string printable(std::string_view text, std::size_t characters_max) {
  std::string result(text.substr(0, characters_max));
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result;
}

}  // namespace mobula::server

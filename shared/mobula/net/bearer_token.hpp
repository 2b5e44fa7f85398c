// What an admin address asks for (RFC 6750): a token that people made, as the first line of a file.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::net {

inline constexpr std::size_t bearer_bytes_min = 16;
inline constexpr std::size_t bearer_bytes_max = 256;

struct BearerTokenFile {
  std::string token;
  bool others_may_read = false;  // others than its owner: worth a warning
};

// A token of printable characters, without spaces. Refused with "cannot read" or "malformed".
core::Result<BearerTokenFile> load_bearer_token(const std::string& path);

}  // namespace mobula::net

// Bearer token of an admin port (RFC 6750): chosen by the operator, stored as the first line of a file.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::net {

inline constexpr std::size_t bearer_bytes_min = 16;
inline constexpr std::size_t bearer_bytes_max = 256;

/// Content of a bearer token file.
struct BearerTokenFile {
  std::string token;
  bool others_may_read = false;  // by others than its owner; deserves a warning
};

/// Reads a token of bearer_bytes_min to bearer_bytes_max printable characters without spaces.
/// Errors: "cannot read", "malformed".
core::Result<BearerTokenFile> load_bearer_token(const std::string& path);

}  // namespace mobula::net

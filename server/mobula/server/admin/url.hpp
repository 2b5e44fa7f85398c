// Path and query of a URL. The text is not trusted.
#pragma once

#include <map>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::server::admin {

using Parameters = std::map<std::string, std::string, std::less<>>;

/// Decodes "%2F" and the like. Returns nothing if a % is not followed by two hex digits.
std::optional<std::string> percent_decoded(std::string_view text);

/// Parts of a request's target.
struct Target {
  std::string_view authority;  // HOST:PORT of the absolute form, which requests to a proxy have; else empty
  std::string_view path;
  std::string_view query;  // the part after '?'
};

/// Splits "/live?x" or "http://localhost:7780/live?x". The authority of the absolute form stands for the header Host
/// (RFC 9112, 3.2.2). Any other text is a path.
Target split_target(std::string_view target);

/// Matches a path such as "/api/entities/8.1/Fog" against a pattern such as "/api/entities/{handle}/{component}".
/// Decoded parameters go to `found`. A parameter is never empty.
bool matches(std::string_view pattern, std::string_view path, Parameters& found);

/// Parses "a=1&b=%20". Errors: "bad request" for a repeated parameter or invalid percent-encoding.
core::Status parse_query(std::string_view query, Parameters& found);

}  // namespace mobula::server::admin

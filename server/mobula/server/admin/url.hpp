// What stands in a URL behind the host: paths against patterns, and queries. Hostile text.
#pragma once

#include <map>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::server::admin {

using Parameters = std::map<std::string, std::string, std::less<>>;

// "%2F" and the like. Nothing if a % is not followed by two hex digits.
std::optional<std::string> percent_decoded(std::string_view text);

// Whether "/api/entities/8.1/Fog" is a path of "/api/entities/{handle}/{component}"; then what is in the braces goes to
// `found`, decoded. A parameter is never empty.
bool matches(std::string_view pattern, std::string_view path, Parameters& found);

// "a=1&b=%20". Reasons: "bad request" for a parameter that is there twice, or no good percent-encoding.
core::Status parse_query(std::string_view query, Parameters& found);

}  // namespace mobula::server::admin

// JSON objects in requests.
#pragma once

#include <mobula/core/result.hpp>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mobula::server::admin {

/// Parses an object. The error shows `example` if there is one, or what is no JSON at its line and column. Errors: "bad
/// request".
core::Result<nlohmann::json> parse_object(std::string_view text, std::string_view example = {});

}  // namespace mobula::server::admin

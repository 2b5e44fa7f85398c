// Headers by which a browser lets pages of other origins read an answer (CORS). An origin is permitted at single
// routes, by its exact text. "*" permits every origin.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mobula::server::admin {

/// Returns whether the request is of a page of one of these origins.
[[nodiscard]] bool is_from(const Request& request, std::span<const std::string> origins);

/// Returns whether a browser asks by this request whether a page of another origin may send one.
[[nodiscard]] bool is_preflight(const Request& request);
/// Returns the answer to a preflight of a permitted origin. `methods` are those of the path: "POST".
[[nodiscard]] Response preflight_response(std::string_view methods);

/// Adds the headers by which a page of a permitted origin may read the response. Null stands for any other request.
void add_origin_headers(Response& response, const std::string* permitted_origin);

}  // namespace mobula::server::admin

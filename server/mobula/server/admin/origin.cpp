#include <algorithm>
#include <mobula/net/origin.hpp>
#include <mobula/server/admin/origin.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::string_view preflight_seconds = "600";

}  // namespace

bool is_from(const Request& request, std::span<const std::string> origins) {
  return request.origin && std::ranges::any_of(origins, [&](const std::string& each) {
           return each == net::every_origin || each == *request.origin;
         });
}

bool is_preflight(const Request& request) { return request.method == "OPTIONS" && request.asks_for_method; }

Response preflight_response(std::string_view methods) {
  Response response{204, {}};
  response.headers = {{"Access-Control-Allow-Methods", std::string(methods)},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                      {"Access-Control-Max-Age", std::string(preflight_seconds)}};
  return response;
}

// Vary, since a cache must not give the answer for one origin to another.
void add_origin_headers(Response& response, const std::string* permitted_origin) {
  response.headers.emplace_back("Vary", "Origin");
  if (permitted_origin != nullptr) response.headers.emplace_back("Access-Control-Allow-Origin", *permitted_origin);
}

}  // namespace mobula::server::admin

#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/admin/origin.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::string_view preflight_seconds = "600";

struct Scheme {
  std::string_view begin;
  std::string_view default_port;
};
constexpr Scheme http{"http://", ":80"};
constexpr Scheme https{"https://", ":443"};

bool is_origin_host(std::string_view text) {
  const bool v6 = text.starts_with('[') && text.ends_with(']');
  if (v6) text = text.substr(1, text.size() - 2);
  return !text.empty() && std::ranges::all_of(text, [v6](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || (v6 ? c == ':' : c == '-' || c == '_');
  });
}

bool is_origin_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535 && text[0] != '0';
}

bool is_origin(std::string_view text) {
  const Scheme& own = text.starts_with(https.begin) ? https : http;
  if (!text.starts_with(own.begin) || text.ends_with(own.default_port)) return false;
  text.remove_prefix(own.begin.size());
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) return is_origin_host(text);
  return is_origin_host(text.substr(0, colon)) && is_origin_port(text.substr(colon + 1));
}

}  // namespace

core::Status check_origin(std::string_view text) {
  if (is_origin(text)) return core::Done{};
  return core::Error{
      "bad origin",
      core::format("'{}' is not an origin; expected http://HOST[:PORT] or https://HOST[:PORT] as browsers "
                   "send it: in lower case, without a path and without the default port",
                   core::shown(text, 80))};
}

bool is_from(const Request& request, std::span<const std::string> origins) {
  return request.origin && std::ranges::find(origins, *request.origin) != origins.end();
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

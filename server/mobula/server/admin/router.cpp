#include <algorithm>
#include <exception>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/admin/origin.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/server/admin/url.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::size_t shown_bytes_max = 100;

// Limits of quoted text in a response.
std::string_view shown(std::string_view text) { return text.substr(0, shown_bytes_max); }

Response no_such_path(const Request& request, std::span<const Route> routes) {
  std::vector<std::string_view> paths;
  for (const Route& route : routes) paths.push_back(route.path);
  return error_response(
      404, "not_found",
      core::format("there is no '{}'{}", shown(request.path), core::did_you_mean(shown(request.path), paths)));
}

Response no_such_method(const Request& request, const std::string& allowed) {
  Response response = error_response(
      405, "method_not_allowed",
      core::format("{} is not served at '{}'; use {}", shown(request.method), shown(request.path), allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

// A HEAD is a GET whose connection leaves out the body.
bool serves(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

std::string_view methods_of(const Route& route) { return route.method == "GET" ? "GET, HEAD" : route.method; }

std::optional<Response> refuse_query(const Request& request, const Parameters& query, const Route& route) {
  for (const auto& [name, value] : query) {
    if (std::ranges::find(route.query, name) != route.query.end()) continue;
    return error_response(400, "bad_request",
                          core::format("'{}' has no parameter '{}'{}", shown(request.path), shown(name),
                                       core::did_you_mean(shown(name), route.query)));
  }
  return std::nullopt;
}

Response failure() {
  return {500, R"({"error":{"code":"failed","message":"internal error; see the log of the server"}})"};
}

template <class Make, class Failure>
auto guard(std::string_view what, const Make& make, const Failure& failed) noexcept -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& error) {
    core::log_error("admin", "{}: {}", what, error.what());
  } catch (...) {
    core::log_error("admin", "{}: failed", what);
  }
  return failed();
}

}  // namespace

Response guarded(std::string_view what, const Finish& finish) noexcept { return guard(what, finish, failure); }

Finish guarded_work(std::string_view what, const std::function<Finish()>& work) noexcept {
  return guard(what, work, [] { return Finish(failure); });
}

Router::Router(std::vector<Route> routes, std::string token, std::vector<std::string> hosts)
    : routes_(std::move(routes)), auth_filter_(std::move(token), std::move(hosts)) {}

Router::Found Router::find(const Request& request) const {
  Found found;
  for (const Route& route : routes_) {
    const bool matched =
        route.path == every_other_path ? found.methods.empty() : matches(route.path, request.path, found.in_path);
    if (!matched) continue;
    if (serves(route, request.method)) found.route = &route;
    found.methods.append(found.methods.empty() ? "" : ", ").append(methods_of(route));
    found.has_origins = found.has_origins || !route.origins.empty();
    found.permitted_origin = found.permitted_origin || is_from(request, route.origins);
  }
  return found;
}

Reply Router::run(Request& request, Found found) const {
  const bool preflight = found.permitted_origin && is_preflight(request);  // browsers send it without the token
  const Access access = found.route != nullptr ? found.route->access : Access::bearer;
  if (std::optional<Response> refusal =
          auth_filter_.refuse(request, preflight ? Access::everyone : access, found.permitted_origin))
    return *std::move(refusal);
  if (preflight) return preflight_response(found.methods);
  if (found.methods.empty()) return no_such_path(request, routes_);
  if (found.route == nullptr) return no_such_method(request, found.methods);
  if (found.route->ignores_query) return found.route->handler(request);
  Parameters in_query;
  if (const core::Status parsed = parse_query(request.query, in_query); !parsed) return error_response(parsed.error());
  if (std::optional<Response> refusal = refuse_query(request, in_query, *found.route)) return *std::move(refusal);
  request.parameters = std::move(found.in_path);
  request.parameters.merge(in_query);
  return found.route->handler(request);
}

Reply Router::answer(Request request) const noexcept {
  const std::string what = std::string(shown(request.method)) + ' ' + std::string(shown(request.path));
  Found found = find(request);
  const bool has_origins = found.has_origins;
  const std::optional<std::string> permitted = found.permitted_origin ? request.origin : std::nullopt;
  Reply reply = guard(what, [&]() -> Reply { return run(request, std::move(found)); }, failure);
  if (auto* const response = std::get_if<Response>(&reply); response != nullptr && has_origins)
    add_origin_headers(*response, permitted ? &*permitted : nullptr);
  return reply;
}

}  // namespace mobula::server::admin

#include <algorithm>
#include <exception>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
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

Router::Router(std::vector<Route> routes, std::string token)
    : routes_(std::move(routes)), auth_filter_(std::move(token)) {}

Reply Router::find_and_run(Request& request) const {
  const Route* found = nullptr;
  std::string allowed;
  Parameters in_path;
  for (const Route& route : routes_) {
    if (!matches(route.path, request.path, in_path)) continue;
    if (serves(route, request.method)) found = &route;
    allowed.append(allowed.empty() ? "" : ", ").append(methods_of(route));
  }
  if (std::optional<Response> refusal = auth_filter_.refuse(request, found != nullptr ? found->access : Access::bearer))
    return *std::move(refusal);
  if (allowed.empty()) return no_such_path(request, routes_);
  if (found == nullptr) return no_such_method(request, allowed);
  Parameters in_query;
  if (const core::Status parsed = parse_query(request.query, in_query); !parsed) return error_response(parsed.error());
  if (std::optional<Response> refusal = refuse_query(request, in_query, *found)) return *std::move(refusal);
  request.parameters = std::move(in_path);
  request.parameters.merge(in_query);
  return found->handler(request);
}

Reply Router::answer(Request request) const noexcept {
  const std::string what = std::string(shown(request.method)) + ' ' + std::string(shown(request.path));
  return guard(what, [&]() -> Reply { return find_and_run(request); }, failure);
}

}  // namespace mobula::server::admin

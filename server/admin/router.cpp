#include <exception>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/server/admin/same_machine.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::size_t shown_bytes_max = 100;

// Of a question, in our answer.
std::string_view shown(std::string_view text) { return text.substr(0, shown_bytes_max); }

Response no_such_path(const Request& request, const std::vector<Route>& routes) {
  std::vector<std::string_view> paths;
  for (const Route& route : routes) paths.push_back(route.path);
  return error_response(
      404, "not_found",
      core::format("there is no '{}'{}", shown(request.path), core::did_you_mean(request.path, paths)));
}

Response no_such_method(const Request& request, std::string allowed) {
  Response response = error_response(
      405, "method_not_allowed",
      core::format("{} is not served at '{}'; use {}", shown(request.method), shown(request.path), allowed));
  response.allow = std::move(allowed);
  return response;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

Response Router::find_and_run(const Request& request) const {
  if (request.has_origin)
    return error_response(403, "foreign_origin", "pages in browsers are not answered: there is an Origin header");
  if (!names_a_machine_itself(request.host))
    return error_response(403, "foreign_host", "the Host header must be localhost or an IP address");
  std::string allowed;
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    if (route.method == request.method) return route.handler(request);
    allowed.append(allowed.empty() ? "" : ", ").append(route.method);
  }
  return allowed.empty() ? no_such_path(request, routes_) : no_such_method(request, std::move(allowed));
}

Response Router::answer(const Request& request) const noexcept {
  try {
    return find_and_run(request);
  } catch (const std::exception& error) {
    core::log_error("admin", "{} {}: {}", shown(request.method), shown(request.path), error.what());
  } catch (...) {
    core::log_error("admin", "{} {}: failed", shown(request.method), shown(request.path));
  }
  return {500, R"({"error":{"code":"failed","message":"the server could not answer; its log says why"}})"};
}

}  // namespace mobula::server::admin

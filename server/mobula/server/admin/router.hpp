// Table of routes. A request without a route is refused with a named error.
#pragma once

#include <mobula/server/admin/auth_filter.hpp>
#include <mobula/server/admin/http.hpp>
#include <span>
#include <vector>

namespace mobula::server::admin {

class Router {
 public:
  /// `token` empty disables the check of tokens.
  explicit Router(std::vector<Route> routes, std::string token = {});

  /// Answers a request. Does not throw. HEAD is answered as GET is, with the body that the connection leaves out.
  /// Errors: 403 and 401 from the auth filter, 404 for an unknown path, 405 for an unknown method. 400 is for an
  /// unknown query parameter, 500 for a handler that throws.
  [[nodiscard]] Reply answer(Request request) const noexcept;
  [[nodiscard]] const AuthFilter& auth_filter() const { return auth_filter_; }
  [[nodiscard]] std::span<const Route> routes() const { return routes_; }

 private:
  [[nodiscard]] Reply find_and_run(Request& request) const;

  std::vector<Route> routes_;
  AuthFilter auth_filter_;
};

/// Calls a function. Returns its result, or 500 with a log line if it throws.
Response guarded(std::string_view what, const Finish& finish) noexcept;
Finish guarded_work(std::string_view what, const std::function<Finish()>& work) noexcept;

}  // namespace mobula::server::admin

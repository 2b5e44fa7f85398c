// Table of routes. A request without a route is refused with a named error.
#pragma once

#include <mobula/server/admin/auth_filter.hpp>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/url.hpp>
#include <span>
#include <vector>

namespace mobula::server::admin {

class Router {
 public:
  /// `token` empty disables the check of tokens. `hosts` are those of AuthFilter.
  explicit Router(std::vector<Route> routes, std::string token = {}, std::vector<std::string> hosts = {});

  /// Answers a request. Does not throw. HEAD is answered as GET is, with the body that the connection leaves out.
  /// Errors: 403 and 401 from the auth filter, 404 for an unknown path, 405 for an unknown method. 400 is for an
  /// unknown query parameter, 500 for a handler that throws. Pages of origins that a route names receive its answers
  /// and refusals with the headers that let them read these.
  [[nodiscard]] Reply answer(Request request) const noexcept;
  [[nodiscard]] const AuthFilter& auth_filter() const { return auth_filter_; }
  [[nodiscard]] std::span<const Route> routes() const { return routes_; }

 private:
  struct Found {
    const Route* route = nullptr;   // null if no route serves the method
    std::string methods;            // those of the path; empty if there is no such path
    bool has_origins = false;       // a route of the path names origins
    bool permitted_origin = false;  // and the request's is one of them
    Parameters in_path;
  };

  [[nodiscard]] Found find(const Request& request) const;
  [[nodiscard]] Reply run(Request& request, Found found) const;

  std::vector<Route> routes_;
  AuthFilter auth_filter_;
};

/// Calls a function. Returns its result, or 500 with a log line if it throws.
Response guarded(std::string_view what, const Finish& finish) noexcept;
Finish guarded_work(std::string_view what, const std::function<Finish()>& work) noexcept;

}  // namespace mobula::server::admin

// Who answers what: a table of routes. What no route fits is refused by name.
#pragma once

#include <mobula/server/admin/auth_filter.hpp>
#include <mobula/server/admin/http.hpp>
#include <span>
#include <vector>

namespace mobula::server::admin {

class Router {
 public:
  // The token that is asked for; empty: none.
  explicit Router(std::vector<Route> routes, std::string token = {});

  // 403 and 401 by the gate, 404 for a path and 405 for a method that nobody serves, 400 for a query that no route of
  // the path has, 500 where a handler throws. Throws nothing.
  [[nodiscard]] Reply answer(Request request) const noexcept;
  [[nodiscard]] const Gate& gate() const { return gate_; }
  [[nodiscard]] std::span<const Route> routes() const { return routes_; }

 private:
  [[nodiscard]] Reply find_and_run(Request& request) const;

  std::vector<Route> routes_;
  Gate gate_;
};

// What these give; 500, and a line in the log, if they throw.
Response guarded(std::string_view what, const Finish& finish) noexcept;
Finish guarded_work(std::string_view what, const std::function<Finish()>& work) noexcept;

}  // namespace mobula::server::admin

// Who answers what: a table of routes. What no route fits is refused by name.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <vector>

namespace mobula::server::admin {

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  // 403 for questions that a stranger's page may have made a browser ask, 404 for a path and 405 for a method that
  // nobody serves, 500 where a handler throws. Throws nothing.
  [[nodiscard]] Response answer(const Request& request) const noexcept;

 private:
  [[nodiscard]] Response find_and_run(const Request& request) const;

  std::vector<Route> routes_;
};

}  // namespace mobula::server::admin

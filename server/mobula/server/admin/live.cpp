#include <mobula/server/admin/live.hpp>

namespace mobula::server::admin {

Route live_route() {
  return {"GET", "/live", [](const Request&) { return Response{200, R"({"status":"live"})"}; }, {}, Access::everyone};
}

}  // namespace mobula::server::admin

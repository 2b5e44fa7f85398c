#include <mobula/server/admin/http.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::admin {

Response error_response(unsigned status, std::string_view code, std::string_view message) {
  const nlohmann::json json = {{"error", {{"code", code}, {"message", message}}}};
  return {status, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace mobula::server::admin

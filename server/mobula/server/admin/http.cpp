#include <algorithm>
#include <array>
#include <mobula/server/admin/http.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::admin {
namespace {

struct Status {
  std::string_view reason;
  unsigned status;
};
constexpr std::array statuses{
    Status{"bad level", 409},         Status{"busy", 503},           Status{"circle", 409},
    Status{"closing", 503},           Status{"failed", 500},         Status{"no answer", 503},
    Status{"no cluster", 409},        Status{"no level", 409},       Status{"no store", 409},
    Status{"no such component", 404}, Status{"no such player", 404}, Status{"no such pool", 404},
    Status{"no such property", 404},  Status{"no such world", 404},  Status{"no tokens", 404},
    Status{"not banned", 404},        Status{"not written", 500},    Status{"order owned", 409},
    Status{"read only", 409},         Status{"stale handle", 404},   Status{"too deep", 409},
    Status{"unfinished", 504},
};

}  // namespace

Response error_response(unsigned status, std::string_view code, std::string_view message) {
  const nlohmann::json json = {{"error", {{"code", code}, {"message", message}}}};
  return {status, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

Response error_response(const core::Error& error) {
  const auto known = std::ranges::find(statuses, std::string_view(error.reason), &Status::reason);
  std::string code = error.reason;
  std::ranges::replace(code, ' ', '_');
  return error_response(known == statuses.end() ? 400 : known->status, code, error.message);
}

}  // namespace mobula::server::admin

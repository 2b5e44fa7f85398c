#include <algorithm>
#include <array>
#include <mobula/server/admin/http.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::array own_statuses{
    ReasonStatus{"bad level", 409},         ReasonStatus{"busy", 503},           ReasonStatus{"circle", 409},
    ReasonStatus{"closing", 503},           ReasonStatus{"failed", 500},         ReasonStatus{"no answer", 503},
    ReasonStatus{"no cluster", 409},        ReasonStatus{"no level", 409},       ReasonStatus{"no store", 409},
    ReasonStatus{"no such component", 404}, ReasonStatus{"no such player", 404}, ReasonStatus{"no such pool", 404},
    ReasonStatus{"no such property", 404},  ReasonStatus{"no such world", 404},  ReasonStatus{"no tokens", 404},
    ReasonStatus{"not banned", 404},        ReasonStatus{"not written", 500},    ReasonStatus{"order owned", 409},
    ReasonStatus{"read only", 409},         ReasonStatus{"stale handle", 404},   ReasonStatus{"too deep", 409},
    ReasonStatus{"unfinished", 504},
};

}  // namespace

Response error_response(unsigned status, std::string_view code, std::string_view message) {
  const nlohmann::json json = {{"error", {{"code", code}, {"message", message}}}};
  return {status, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

Response error_response(const core::Error& error, std::span<const ReasonStatus> statuses) {
  const auto known = std::ranges::find(statuses, std::string_view(error.reason), &ReasonStatus::reason);
  std::string code = error.reason;
  std::ranges::replace(code, ' ', '_');
  return error_response(known == statuses.end() ? 400 : known->status, code, error.message);
}

Response error_response(const core::Error& error) { return error_response(error, own_statuses); }

}  // namespace mobula::server::admin

#include <charconv>
#include <nlohmann/json.hpp>
#include <server/agones/sidecar_model.hpp>

namespace mobula::agones::test {
namespace {

using Json = nlohmann::json;

constexpr std::string_view counters_path = "/v1beta1/counters/";

// The sidecar's own errors have no code of gRPC, so the gateway answers 500 for all of them.
ModelAnswer failure(int status, int code, const std::string& message) {
  return {status, Json{{"code", code}, {"message", message}, {"details", Json::array()}}.dump()};
}
ModelAnswer failure(const std::string& message) { return failure(500, 2, message); }

// Returns the object of a body. Nothing if it is not one.
std::optional<Json> object_of(const std::string& body) {
  Json json = Json::parse(body, nullptr, false);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

// Returns a number of 64 bits: a string, or a JSON number.
std::optional<std::int64_t> number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  std::int64_t value = 0;
  const auto text = found->get<std::string>();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

ModelAnswer malformed() { return failure(400, 3, "proto: syntax error"); }

}  // namespace

ModelAnswer SidecarModel::answer(const ModelRequest& request) {
  struct Route {
    std::string_view method;
    std::string_view path;
    ModelAnswer (SidecarModel::*handler)(const ModelRequest&);
  };
  static constexpr Route routes[] = {
      {"POST", "/ready", &SidecarModel::ready},        {"POST", "/health", &SidecarModel::health},
      {"POST", "/allocate", &SidecarModel::allocate},  {"POST", "/reserve", &SidecarModel::reserve},
      {"POST", "/shutdown", &SidecarModel::shut_down}, {"GET", "/gameserver", &SidecarModel::game_server},
      {"GET", counters_path, &SidecarModel::counter},  {"PATCH", counters_path, &SidecarModel::counter},
  };
  bool known_path = false;
  for (const Route& each : routes) {
    const bool matches =
        each.path == counters_path ? request.path.starts_with(counters_path) : request.path == each.path;
    known_path = known_path || matches;
    if (matches && each.method == request.method) return (this->*each.handler)(request);
  }
  return known_path ? failure(501, 12, "Method Not Allowed") : failure(404, 5, "Not Found");
}

bool SidecarModel::allocate_by_agones() {
  if (state != "Ready" || deleted) return false;
  state = "Allocated";
  allocated_by_agones = true;
  return true;
}

// There is no way out of these states.
void SidecarModel::enter(std::string_view next) {
  if (allocated_by_agones && next != "Allocated" && next != "Shutdown") ++undone_allocations;
  allocated_by_agones = false;
  if (!deleted && state != "Unhealthy" && state != "Shutdown") state = next;
}

ModelAnswer SidecarModel::ready(const ModelRequest& request) {
  if (!object_of(request.body)) return malformed();
  ++ready_requests;
  enter("Ready");
  return {};
}

ModelAnswer SidecarModel::health(const ModelRequest& request) {
  if (request.body.empty()) return {400, ""};
  if (!object_of(request.body)) return malformed();
  ++pings;
  return {};
}

ModelAnswer SidecarModel::allocate(const ModelRequest& request) {
  if (!object_of(request.body)) return malformed();
  enter("Allocated");
  return {};
}

ModelAnswer SidecarModel::reserve(const ModelRequest& request) {
  const std::optional<Json> json = object_of(request.body);
  if (!json) return malformed();
  reserved_seconds = number_of(*json, "seconds").value_or(0);
  enter("Reserved");
  return {};
}

ModelAnswer SidecarModel::shut_down(const ModelRequest& request) {
  if (!object_of(request.body)) return malformed();
  enter("Shutdown");
  return {};
}

// The gateway writes fields without a value too.
ModelAnswer SidecarModel::game_server(const ModelRequest&) {
  Json all = Json::object();
  for (const auto& [name, value] : counters)
    all[name] = {{"count", std::to_string(value.count)}, {"capacity", std::to_string(value.capacity)}};
  const Json meta{{"name", "arena-8kq2z"},
                  {"namespace", "default"},
                  {"uid", "1234"},
                  {"resource_version", "v1"},
                  {"generation", "1"},
                  {"creation_timestamp", "1531795395"},
                  {"deletion_timestamp", deleted ? "1531795999" : "0"},
                  {"annotations", {{"agones.dev/sdk-version", "1.56.0"}}},
                  {"labels", {{"agones.dev/fleet", "arena"}}}};
  const Json health{{"disabled", false}, {"period_seconds", 5}, {"failure_threshold", 3}, {"initial_delay_seconds", 5}};
  Json ports = Json::array();
  if (!address.empty()) ports.push_back({{"name", "game"}, {"port", port}});
  const Json status{{"state", state},     {"address", address}, {"addresses", Json::array()}, {"ports", ports},
                    {"players", nullptr}, {"counters", all},    {"lists", Json::object()}};
  return {200, Json{{"object_meta", meta}, {"spec", {{"health", health}}}, {"status", status}}.dump()};
}

ModelAnswer SidecarModel::counter(const ModelRequest& request) {
  const std::string name = request.path.substr(counters_path.size());
  const auto found = counters.find(name);
  if (found == counters.end()) return failure("counter not found: " + name);
  ModelCounter next = found->second;
  if (request.method == "PATCH") {
    const std::optional<Json> json = object_of(request.body);
    if (!json) return malformed();
    const std::int64_t diff = number_of(*json, "countDiff").value_or(0);
    const std::optional<std::int64_t> count = number_of(*json, "count");
    const std::optional<std::int64_t> capacity = number_of(*json, "capacity");
    if (diff == 0 && !count && !capacity) return failure("invalid argument. Malformed CounterUpdateRequest");
    next.capacity = capacity.value_or(next.capacity);
    next.count = count.value_or(next.count) + diff;
    if (next.capacity < 0 || next.count < 0 || next.count > next.capacity)
      return failure("out of range. Count must be within range [0,Capacity]. Found Count: " +
                     std::to_string(next.count) + ", Capacity: " + std::to_string(next.capacity));
    found->second = next;
  }
  return {
      200,
      Json{{"name", name}, {"count", std::to_string(next.count)}, {"capacity", std::to_string(next.capacity)}}.dump()};
}

}  // namespace mobula::agones::test

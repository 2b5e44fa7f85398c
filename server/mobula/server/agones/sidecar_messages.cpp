#include <algorithm>
#include <charconv>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/host_port.hpp>
#include <mobula/server/agones/sidecar_messages.hpp>
#include <nlohmann/json.hpp>
#include <optional>

namespace mobula::agones {
namespace {

using Json = nlohmann::json;

core::Error bad(std::string_view what) {
  return {"bad answer", core::format("not an answer of Agones' sidecar: {}", what)};
}

// Returns a member. Null if there is none, or if its value is null. The sidecar writes fields without a value.
const Json* find(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Returns a text, empty if there is none; nothing if it is not one, too long, or has control characters.
std::optional<std::string> text_of(const Json& object, const char* name) {
  const Json* const field = find(object, name);
  if (field == nullptr) return std::string();
  if (!field->is_string()) return std::nullopt;
  const auto& text = field->get_ref<const std::string&>();
  if (text.size() > name_bytes_max || !core::is_printable(text)) return std::nullopt;
  return text;
}

// Returns a number that is written as text, 0 if there is none; nothing if it is no such number.
std::optional<std::int64_t> number_of(const Json& object, const char* name) {
  const std::optional<std::string> text = text_of(object, name);
  if (!text || text->empty()) return text ? std::optional<std::int64_t>(0) : std::nullopt;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const std::from_chars_result read = std::from_chars(text->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

bool read_ports(const Json& status, std::vector<GameServerPort>& ports) {
  const Json* const all = find(status, "ports");
  if (all == nullptr) return true;
  if (!all->is_array() || all->size() > ports_max) return false;
  for (const Json& each : *all) {
    if (!each.is_object()) return false;
    std::optional<std::string> name = text_of(each, "name");
    const Json* const port = find(each, "port");
    if (!name || port == nullptr || !port->is_number_unsigned()) return false;
    const auto number = port->get<std::uint64_t>();
    if (number == 0 || number > std::numeric_limits<std::uint16_t>::max()) return false;
    ports.push_back({std::move(*name), static_cast<std::uint16_t>(number)});
  }
  return true;
}

}  // namespace

core::Result<std::string> sidecar_url(const char* port) {
  const std::string_view text = port == nullptr ? "" : port;
  const std::optional<std::uint16_t> number = text.empty() ? sidecar_port_default : net::parse_port(text);
  if (!number || *number == 0)
    return core::Error{"bad port", core::format("AGONES_SDK_HTTP_PORT: '{}' is not a port from 1 to 65535",
                                                core::shown(text, name_bytes_max))};
  return core::format("http://127.0.0.1:{}", *number);
}

std::string reserve_json(std::uint32_t seconds) { return Json{{"seconds", std::to_string(seconds)}}.dump(); }

std::string counter_path(std::string_view name) { return core::format("/v1beta1/counters/{}", name); }

std::uint64_t sent_count(CounterValue value) {
  return value.capacity > 0 ? std::min(value.count, value.capacity) : value.count;
}

std::string counter_json(CounterValue value) {
  Json json{{"count", std::to_string(sent_count(value))}};
  if (value.capacity > 0) json["capacity"] = std::to_string(value.capacity);
  return json.dump();
}

core::Result<std::uint64_t> read_counter(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object() || find(parsed, "count") == nullptr) return bad("it has no 'count'");
  const std::optional<std::int64_t> count = number_of(parsed, "count");
  if (!count || *count < 0) return bad("'count' is no count");
  return static_cast<std::uint64_t>(*count);
}

bool is_object(std::string_view json) { return Json::parse(json, nullptr, false).is_object(); }

core::Result<GameServer> read_game_server(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object()) return bad("it is no JSON object");
  const Json* const status = find(parsed, "status");
  if (status == nullptr || !status->is_object()) return bad("it has no object 'status'");
  GameServer result;
  std::optional<std::string> state = text_of(*status, "state");
  if (!state || state->empty()) return bad("'status.state' is no name");
  result.state = std::move(*state);
  std::optional<std::string> address = text_of(*status, "address");
  if (!address) return bad("'status.address' is no address");
  result.address = std::move(*address);
  if (!read_ports(*status, result.ports)) return bad("'status.ports' is no list of ports");
  if (const Json* const meta = find(parsed, "object_meta"); meta != nullptr) {
    const std::optional<std::int64_t> deleted =
        meta->is_object() ? number_of(*meta, "deletion_timestamp") : std::nullopt;
    if (!deleted) return bad("'object_meta.deletion_timestamp' is no time");
    result.deleted = *deleted != 0;
  }
  return result;
}

}  // namespace mobula::agones

#include <cluster/map_watch.hpp>
#include <cluster/shallow_json.hpp>
#include <cmath>
#include <mobula/core/format.hpp>

namespace mobula::cluster {
namespace {

using nlohmann::json;

constexpr std::size_t frame_bytes_max = std::size_t{1} << 20;
constexpr std::uint32_t entities_default = 5000;
constexpr std::uint32_t entities_most = 20'000;  // a node sends no more
constexpr double frames_per_second = 5;

bool read_range(const json& request, const char* name, float (&range)[2]) {
  const auto found = request.find(name);
  if (found == request.end()) return true;
  if (!found->is_array() || found->size() != 2 || !(*found)[0].is_number() || !(*found)[1].is_number()) return false;
  range[0] = (*found)[0].get<float>();
  range[1] = (*found)[1].get<float>();
  return std::isfinite(range[0]) && std::isfinite(range[1]) && range[0] <= range[1];
}

}  // namespace

core::Result<MapRequest> parse_map_request(std::string_view text) {
  const auto bad = [](const char* message) { return core::Error{"bad request", message}; };
  const json request = json::parse(text, nullptr, false);
  const auto map = request.is_object() ? request.find("world") : request.end();
  if (!request.is_object() || map == request.end() || !map->is_string()) return bad("world: expected a map's name");
  MapRequest parsed{.map = map->get<std::string>(), .entities_max = entities_default};
  if (!read_range(request, "x", parsed.x)) return bad("x: expected [low, high], two numbers");
  if (!read_range(request, "z", parsed.z)) return bad("z: expected [low, high], two numbers");
  const auto most = request.find("entities_max");
  if (most == request.end()) return parsed;
  if (!most->is_number_unsigned() || *most < 1u || *most > entities_most)
    return bad("entities_max: expected a whole number from 1 to 20000");
  parsed.entities_max = most->get<std::uint32_t>();
  return parsed;
}

MapWatch::MapWatch(const Context& context, MapRequest request, const server::ZoneMap& zones)
    : context_(context), request_(std::move(request)), merged_(zones.zones().size(), request_.entities_max) {
  for (const server::Zone& zone : zones.zones())
    links_.push_back({.world = wants(zone.region) ? server::zone_world(request_.map, zone) : std::string()});
}

// Entities may be beyond their zone's region by the hysteresis or longer, so a zone's nearness does not matter much:
// a part that no zone overlaps is not asked for.
bool MapWatch::wants(const server::Region& region) const {
  return region.x_min <= request_.x[1] && region.x_max >= request_.x[0] && region.z_min <= request_.z[1] &&
         region.z_max >= request_.z[0];
}

// Returns the admin URL of the node that has a world open. Empty if there is none.
std::string MapWatch::admin_of(const std::string& world) const {
  const std::optional<WorldRecord> found = context_.control.world(world);
  if (!found || found->state != WorldState::open) return {};
  const auto& nodes = context_.control.directory().nodes();
  const auto node = nodes.find(found->node);
  return node == nodes.end() ? std::string() : node->second.record.admin;
}

void MapWatch::update(core::Nanoseconds now) {
  now_ = now;
  for (std::uint32_t zone = 0; zone < links_.size(); ++zone) {
    Link& link = links_[zone];
    if (link.world.empty()) continue;
    if (std::string admin = admin_of(link.world); admin != link.admin) {
      link.socket.reset();
      link.admin = std::move(admin);
      link.retry_at = now;
    }
    merged_.set_readable(zone, !link.admin.empty() && !link.failed);
    if (!link.socket && !link.admin.empty() && now >= link.retry_at) connect(zone);
  }
}

void MapWatch::connect(std::uint32_t zone) {
  Link& link = links_[zone];
  const std::string url = context_.addresses.url_of(link.admin);
  if (url.empty()) return;
  link.retry_at = now_ + retry_interval;
  link.socket = std::make_unique<net::TextSocket>(
      context_.events, url + "/api/live",
      net::TextSocket::Handlers{[this, zone](std::string_view text) { on_text(zone, text); },
                                [this, zone](const core::Error& error) {
                                  if (std::string_view(error.reason) != "refused")
                                    context_.addresses.forget(links_[zone].admin);
                                  fail(zone);
                                }},
      net::HttpOptions{.timeout = retry_interval, .answer_bytes_max = frame_bytes_max, .bearer = context_.bearer});
}

void MapWatch::on_text(std::uint32_t zone, std::string_view text) {
  const json frame = parse_shallow(text);
  const std::string topic = frame.is_object() ? frame.value("topic", json()).dump() : std::string();
  Link& link = links_[zone];
  if (topic == "\"map\"") {
    if (!merged_.apply(zone, frame)) return fail(zone);
    link.failed = false;
  } else if (topic == "\"welcome\"") {
    json order{{"subscribe", "map"},
               {"world", link.world},
               {"ghosts", false},
               {"entities_max", request_.entities_max},
               {"per_second", frames_per_second}};
    if (std::isfinite(request_.x[0])) order["x"] = request_.x;
    if (std::isfinite(request_.z[0])) order["z"] = request_.z;
    link.socket->send(order.dump());
  } else {
    fail(zone);  // the world is not there any more, or the token is wrong
  }
}

void MapWatch::fail(std::uint32_t zone) {
  links_[zone].socket.reset();
  links_[zone].failed = true;
}

json MapWatch::take() {
  json frame = merged_.take();
  frame["world"] = request_.map;
  frame["unread"] = json::array();
  for (std::uint32_t zone = 0; zone < links_.size(); ++zone)
    if (!links_[zone].admin.empty() && links_[zone].failed) frame["unread"].push_back(zone);
  return frame;
}

}  // namespace mobula::cluster

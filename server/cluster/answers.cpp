#include <cluster/answers.hpp>
#include <cmath>

namespace mobula::cluster {
namespace {

template <class Records, class Make>
Json page_json(const char* name, const Records& records, const Page& page, const Make& make) {
  Json list = Json::array();
  Json next = nullptr;
  for (auto each = records.upper_bound(page.after); each != records.end(); ++each) {
    if (list.size() == page.limit) {
      next = list.back()["name"];
      break;
    }
    list.push_back(make(each->first));
  }
  return Json{{name, std::move(list)}, {"next", std::move(next)}};
}

// Null without end.
Json side(float metres) { return std::isfinite(metres) ? Json(metres) : Json(nullptr); }

}  // namespace

// The epoch is text, because many readers of JSON convert 64-bit numbers to floating point.
Json world_json(std::string_view name, const WorldRecord& world) {
  return Json{{"name", name},
              {"game", world.game},
              {"state", to_string(world.state)},
              {"node", world.node},
              {"addresses", world.addresses},
              {"epoch", std::to_string(world.epoch)},
              {"trouble", world.trouble},
              {"failed_on", world.failed_on}};
}

Json node_json(const Directory& directory, std::string_view name) {
  const auto found = directory.nodes().find(name);
  if (found == directory.nodes().end()) return nullptr;
  const NodeRecord& node = found->second.record;
  const auto load = directory.loads().find(name);
  const LoadRecord shown = load == directory.loads().end() ? LoadRecord{} : load->second.record;
  return Json{{"name", name},
              {"game", node.game},
              {"version", node.version},
              {"admin", node.admin},
              {"draining", node.draining},
              {"worlds", shown.worlds},
              {"worlds_max", node.worlds_max},
              {"players", shown.players},
              {"tick_percent", shown.tick_percent}};
}

Json nodes_json(const Directory& directory, const Page& page) {
  return page_json("nodes", directory.nodes(), page,
                   [&](const std::string& name) { return node_json(directory, name); });
}

Json worlds_json(const Control& control, const Page& page) {
  return page_json("worlds", control.directory().worlds(), page,
                   [&](const std::string& name) { return world_json(name, *control.world(name)); });
}

Json maps_json(const Directory& directory, const Page& page) {
  Json list = Json::array();
  Json next = nullptr;
  const std::string after = std::string(maps_prefix) + page.after;
  for (auto each = directory.keys().upper_bound(after); each != directory.keys().end(); ++each) {
    if (!each->first.starts_with(maps_prefix)) break;
    if (list.size() == page.limit) {
      next = list.back();
      break;
    }
    list.push_back(each->first.substr(maps_prefix.size()));
  }
  return {{"maps", std::move(list)}, {"next", std::move(next)}};
}

Json zones_json(const Control& control, NodeFigures& figures, const std::string& map, const server::ZoneMap& zones) {
  Json list = Json::array();
  for (const server::Zone& zone : zones.zones()) {
    const std::string name = server::zone_world(map, zone);
    const WorldRecord world = control.world(name).value_or(WorldRecord{});
    const Json node = node_json(control.directory(), world.node);
    const std::string admin = node.is_null() ? "" : node["admin"].get<std::string>();
    const bool open = world.state == WorldState::open;
    list.push_back({{"name", zone.name},
                    {"world", name},
                    {"x", {side(zone.region.x_min), side(zone.region.x_max)}},
                    {"z", {side(zone.region.z_min), side(zone.region.z_max)}},
                    {"merged", zone.merged},
                    {"state", to_string(world.state)},
                    {"node", world.node},
                    {"admin", admin},
                    {"draining", !node.is_null() && node["draining"].get<bool>()},
                    {"trouble", world.trouble.empty() && open ? figures.trouble(admin) : world.trouble},
                    {"figures", open ? Json(figures.world(admin, name, control.now())) : Json(nullptr)}});
  }
  return {{"map", map}, {"hysteresis", zones.hysteresis()}, {"zones", std::move(list)}};
}

Json map_json(const std::string& map, const server::ZoneMap& zones) {
  Json worlds = Json::array();
  for (const server::Zone& zone : zones.zones()) worlds.push_back(server::zone_world(map, zone));
  return {{"map", map}, {"zones", worlds}};
}

Json sent_json(std::string_view account, std::string_view from, std::string_view world) {
  return {{"account", account}, {"from", from}, {"world", world}};
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::cluster

#include <cluster/answers.hpp>

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

Json map_json(const std::string& map, const server::ZoneMap& zones) {
  Json worlds = Json::array();
  for (const server::Zone& zone : zones.zones()) worlds.push_back(server::zone_world(map, zone));
  return {{"map", map}, {"zones", worlds}};
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace mobula::cluster

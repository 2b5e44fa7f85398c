#include <algorithm>
#include <array>
#include <mobula/core/name.hpp>
#include <mobula/server/cluster/json_fields_impl.hpp>
#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> states{"waiting", "placed", "open"};

core::Error bad(const char* kind, std::string_view json) {
  constexpr std::size_t shown_max = 200;
  return {"bad record", std::string("not the record of a ") + kind + ": " + std::string(json.substr(0, shown_max))};
}

}  // namespace

std::string_view to_string(WorldState state) { return states.at(static_cast<std::size_t>(state)); }

std::string to_json(const NodeRecord& node) {
  return Json{{"game", node.game},
              {"version", node.version},
              {"admin", node.admin},
              {"worlds_max", node.worlds_max},
              {"draining", node.draining}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const LoadRecord& load) {
  return Json{{"worlds", load.worlds}, {"players", load.players}, {"tick_percent", load.tick_percent}}.dump();
}

std::string to_json(const WorldRecord& world) {
  return Json{{"game", world.game},       {"state", to_string(world.state)},  {"epoch", std::to_string(world.epoch)},
              {"node", world.node},       {"run", std::to_string(world.run)}, {"addresses", world.addresses},
              {"trouble", world.trouble}, {"failed_on", world.failed_on}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

core::Result<NodeRecord> parse_node(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  NodeRecord node;
  node.game = fields.text("game");
  node.version = fields.text("version");
  node.admin = fields.text("admin");
  node.worlds_max = fields.count("worlds_max");
  node.draining = fields.flag("draining");
  if (!fields.good() || node.game.empty()) return bad("node", json);
  return node;
}

core::Result<LoadRecord> parse_load(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  LoadRecord load;
  load.worlds = fields.count("worlds");
  load.players = fields.count("players");
  load.tick_percent = fields.count("tick_percent");
  if (!fields.good()) return bad("load", json);
  return load;
}

core::Result<WorldRecord> parse_world(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  WorldRecord world;
  world.game = fields.text("game");
  const auto state = std::ranges::find(states, fields.text("state"));
  world.epoch = fields.number<std::uint64_t>("epoch");
  world.node = fields.text("node");
  world.run = fields.number<Revision>("run");
  world.addresses = fields.texts("addresses");
  world.trouble = fields.text("trouble");
  world.failed_on = fields.text("failed_on");
  if (!fields.good() || world.game.empty() || state == states.end()) return bad("world", json);
  world.state = static_cast<WorldState>(state - states.begin());
  const bool owned = core::is_good_name(world.node) && world.run > 0 && world.epoch > 0 && world.failed_on.empty();
  if (world.epoch > epoch_max) return bad("world", json);
  const bool waits = world.node.empty() && world.run == 0 && world.addresses.empty() &&
                     (world.failed_on.empty() || core::is_good_name(world.failed_on));
  if (world.state == WorldState::waiting ? !waits : !owned) return bad("world", json);
  return world;
}

}  // namespace mobula::cluster

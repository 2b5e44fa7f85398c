#include <algorithm>
#include <array>
#include <mobula/core/base64.hpp>
#include <mobula/core/name.hpp>
#include <mobula/server/cluster/json_fields_impl.hpp>
#include <mobula/server/cluster/records.hpp>
#include <optional>

namespace mobula::cluster {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> states{"waiting", "placed", "open"};

core::Error bad(const char* kind, std::string_view json) {
  constexpr std::size_t shown_max = 200;
  return {"bad record", std::string("not the record of a ") + kind + ": " + std::string(json.substr(0, shown_max))};
}

}  // namespace

ZoneName zone_name(std::string_view world) {
  const std::size_t dot = world.rfind('.');
  return dot == std::string_view::npos ? ZoneName{} : ZoneName{world.substr(0, dot), world.substr(dot + 1)};
}

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

std::string to_json(const CrossingRecord& crossing) {
  return Json{
      {"source", crossing.source},     {"target", crossing.target},       {"account", crossing.account},
      {"name", crossing.name},         {"entities", crossing.entities},   {"pack", core::to_base64(crossing.pack)},
      {"schema", crossing.schema},     {"schema_at", crossing.schema_at}, {"data", core::to_base64(crossing.data)},
      {"commands", crossing.commands}, {"left", crossing.left},           {"arrived", crossing.arrived}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const LedgerRecord& ledger) { return Json{{"version", std::to_string(ledger.version)}}.dump(); }

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

std::size_t bytes_of(const CrossingRecord& crossing) {
  std::size_t bytes = crossing.account.size() + crossing.name.size() + crossing.pack.size() + crossing.schema.size() +
                      crossing.data.size();
  for (const std::string& entity : crossing.entities) bytes += entity.size();
  return bytes;
}

core::Result<CrossingRecord> parse_crossing(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  CrossingRecord crossing{.source = fields.text("source"),
                          .target = fields.text("target"),
                          .account = fields.text("account"),
                          .name = fields.text("name"),
                          .entities = fields.texts("entities")};
  const std::optional<core::Bytes> pack = core::from_base64(fields.text("pack"));
  const std::optional<core::Bytes> data = core::from_base64(fields.text("data"));
  crossing.schema = fields.text("schema");
  crossing.schema_at = fields.count("schema_at");
  crossing.commands = fields.count("commands");
  crossing.left = fields.flag("left");
  crossing.arrived = fields.flag("arrived");
  const bool good = fields.good() && pack && data && core::is_good_name(crossing.source) &&
                    core::is_good_name(crossing.target) && crossing.source != crossing.target &&
                    !(crossing.account.empty() && crossing.entities.empty());
  if (!good) return bad("crossing", json);
  if (crossing.schema_at > pack->size()) return bad("crossing", json);
  crossing.pack = *pack;
  crossing.data = *data;
  if (bytes_of(crossing) > crossing_bytes_max) return bad("crossing", json);
  return crossing;
}

core::Result<LedgerRecord> parse_ledger(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  const LedgerRecord ledger{.version = fields.number<std::uint64_t>("version")};
  if (!fields.good()) return bad("ledger", json);
  return ledger;
}

}  // namespace mobula::cluster

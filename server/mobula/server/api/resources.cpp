// Schema and level of a world, reload, and checkpoint.
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

constexpr std::size_t statics_max = 1000;

json column_json(const resource::Resource& level, const resource::Column& column) {
  return {{"name", level.name_of(column.key.instance)},
          {"type", level.name_of(column.key.type)},
          {"instances", column.num_instances},
          {"bytes", column.data.size()},
          {"spawn_order", column.spawn_order}};
}

json statics_json(const resource::Resource& level) {
  json statics = json::array();
  for (const resource::Static& each : std::span(level.statics()).first(std::min(level.statics().size(), statics_max)))
    statics.push_back({{"id", hex(each.id)}, {"type", level.name_of(each.type)}, {"bytes", each.data.size()}});
  return statics;
}

json level_json(const World& world) {
  const resource::Resource* level = world.level();
  if (level == nullptr) return nullptr;
  json columns = json::array();
  for (const resource::Column& column : level->level().columns) columns.push_back(column_json(*level, column));
  json prefabs = json::array();
  for (const core::StringId32 name : level->prefab_names())
    prefabs.push_back({{"name", level->name_of(name)}, {"entities", level->find_prefab(name)->num_entities}});
  json notes = json::array();
  for (const std::string& note : world.level_notes()) notes.push_back(note);
  return {{"identity", to_string(level->identity())},
          {"server_identity", to_string(level->server_identity())},
          {"bytes", level->bytes().size()},
          {"clients_bytes", level->clients_bytes().size()},
          {"entities", level->level().num_entities},
          {"columns", std::move(columns)},
          {"prefabs", std::move(prefabs)},
          {"statics", statics_json(*level)},
          {"statics_total", level->statics().size()},
          {"notes", std::move(notes)}};
}

core::Result<json> read_resources(Inspection& inspected, const Request& /*request*/) {
  const World& world = inspected.world();
  return json{{"world", inspected.name()},
              {"schema",
               {{"fingerprint", to_string(world.schema().fingerprint())},
                {"bytes", world.schema().bytes().size()},
                {"components", world.schema().components().size()}}},
              {"level", level_json(world)}};
}

core::Result<json> reload(Inspection& world, const Request& /*request*/) {
  const core::Result<LevelChange> change = world.reload();
  if (!change && std::string_view(change.error().reason) == "no level") return change.error();
  if (!change)  // an error of the server's file, not of the request
    return core::Error{"bad level", core::format("{}: {}", change.error().reason, change.error().message)};
  return json{{"world", world.name()},
              {"kept", change->kept},
              {"spawned", change->spawned},
              {"destroyed", change->removed.size()}};
}

core::Result<json> checkpoint(Inspection& world, const Request& /*request*/) {
  if (const core::Status begun = world.server().checkpoint(); !begun) return begun.error();
  return json{{"world", world.name()}, {"tick", world.world().tick() - 1}};
}

}  // namespace

std::vector<admin::Route> resource_routes(const ApiPtr& api) {
  return {{"GET", "/api/resources", query_world(api, read_resources), {"world"}},
          {"POST", "/api/reload", query_world(api, reload), {"world"}},
          {"POST", "/api/checkpoint", query_world(api, checkpoint), {"world"}}};
}

}  // namespace mobula::server::api

// The process: readiness, status, log levels, and the API's description.
#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/api/process_facts.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

constexpr core::Nanoseconds ticked_max = 3 * core::second;  // a server without a tick for longer is not ready

admin::Reply ready(const Api& api) {
  if (api.pulse->draining)
    return admin::error_response(503, "not_ready", "the server is closing and admits no new clients");
  if (const char* const why = api.pulse->not_ready) return admin::error_response(503, "not_ready", why);
  const core::Nanoseconds ticked_at = api.pulse->ticked_at;
  if (ticked_at == 0) return admin::error_response(503, "not_ready", "no world has ticked yet");
  const core::Nanoseconds age = core::monotonic_now() - ticked_at;
  if (age > ticked_max)
    return admin::error_response(503, "not_ready",
                                 core::format("no world has ticked for {:.1f} s", core::in_seconds(age)));
  return admin::Response{200, R"({"status":"ready"})"};
}

json store_json(const store::Store* store) {
  if (store == nullptr) return nullptr;
  const store::StoreStatus status = store->status();
  return {{"incarnation", status.incarnation},
          {"tick", status.tick},
          {"unix_seconds", status.unix_time},
          {"write_seconds", core::in_seconds(status.write_time)},
          {"rows", status.rows},
          {"checkpoints", status.checkpoints},
          {"failures", status.failures},
          {"file_bytes", status.file_bytes},
          {"log_bytes", status.log_bytes},
          {"error", status.error.empty() ? json(nullptr) : json(status.error)}};
}

// Share of the time of the last ticks that they took, for about a second. 0 before the first.
double load_of(const TickLog& ticks, std::uint32_t ticks_per_second) {
  const std::uint64_t first =
      std::max(ticks.first(), ticks.end() - std::min<std::uint64_t>(ticks.end(), ticks_per_second));
  core::Nanoseconds busy = 0;
  for (std::uint64_t row = first; row < ticks.end(); ++row) busy += ticks.row(row).duration;
  const std::uint64_t rows = ticks.end() - first;
  return rows == 0 ? 0 : core::in_seconds(busy) * ticks_per_second / static_cast<double>(rows);
}

json zone_json(const std::optional<ZoneStats>& zone) {
  if (!zone) return nullptr;
  return {{"neighbours", zone->neighbours},
          {"ghosts", zone->ghosts},
          {"crossings_out", zone->crossings_out},
          {"crossings_in", zone->crossings_in},
          {"checks", zone->ghost_checks + zone->mirror_checks},
          {"differences", zone->ghosts_corrected + zone->mirror_mismatches}};
}

json world_json(Inspection& world, core::Nanoseconds now) {
  const resource::Resource* level = world.world().level();
  const Server& server = world.server();
  const std::uint64_t rows = world.ticks().end();
  return {{"name", world.name()},
          {"tick", world.world().tick() - 1},
          {"ticks_per_second", world.world().ticks_per_second()},
          {"entities", world.registry().entities().size()},
          {"published_entities", server.published().size()},
          {"players", server.players()},
          {"sessions", server.endpoint().sessions().size()},
          {"pools", world.registry().pool_count()},
          {"prototypes", world.registry().prototypes().count()},
          {"state_hash", hex(server.published().hash())},
          {"level", level == nullptr ? json(nullptr) : json(to_string(level->identity()))},
          {"seconds_since_tick", rows == 0 ? json(nullptr) : json(core::in_seconds(now - server.now()))},
          {"load", load_of(world.ticks(), world.world().ticks_per_second())},
          {"store", store_json(world.store())},
          {"zone", zone_json(server.stats().zone)}};
}

json status_json(const Api& api) {
  return {{"server", "mobula"},
          {"version", version()},
          {"state", api.pulse->draining ? "draining" : "running"},
          {"uptime_seconds", core::in_seconds(core::monotonic_now() - api.started_at)},
          {"started_unix_seconds", api.started_unix_seconds},
          {"resident_bytes", process_facts().resident_bytes},
          {"hands_out_tokens", api.hands_out_tokens}};
}

admin::Reply status(const ApiPtr& api) {
  return admin::Query{[api]() -> admin::Finish {
    json worlds = json::array();
    for (Inspection* world : api->worlds()) worlds.push_back(world_json(*world, core::monotonic_now()));
    return [api, worlds = std::move(worlds)] {
      json reply = status_json(*api);
      reply["worlds"] = worlds;
      return answer_of(reply);
    };
  }};
}

json levels_json(const core::LogLevels& levels) {
  json modules = json::object();
  for (const auto& [module, level] : levels.modules) modules[module] = to_string(level);
  return {{"level", to_string(levels.all)}, {"modules", std::move(modules)}};
}

admin::Response log_level(const Request& /*request*/) { return answer_of(levels_json(core::log_levels())); }

// A module with the general level has no level of its own.
admin::Response set_log_level(const Request& request) {
  const core::Result<json> body = parse_body(request, {"level", "module"});
  if (!body) return admin::error_response(body.error());
  const auto text = [&](const char* name) {
    const auto found = body->find(name);
    return found != body->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::optional<core::LogLevel> level = core::parse_log_level(text("level"));
  if (!level) return admin::error_response({"bad request", "level: expected trace, debug, info, warn, error or off"});
  core::LogLevels levels = core::log_levels();
  if (body->contains("module")) {
    const core::Result<core::LogLevels> more =
        core::LogLevels::parse(to_string(levels) + ',' + text("module") + '=' + text("level"));
    if (!more) return admin::error_response({"bad request", "module: " + more.error().message});
    levels = *more;
  } else {
    levels.all = *level;
  }
  std::erase_if(levels.modules, [&](const auto& module) { return module.second == levels.all; });
  core::set_log_levels(levels);
  core::log_info("admin", "log level is now {}", to_string(levels));
  return answer_of(levels_json(levels));
}

admin::Response document(const Request& /*request*/) {
  return {200, std::string(admin::openapi_files().front().content)};
}

// Request without the headers of a WebSocket.
admin::Response no_upgrade(const Request& /*request*/) {
  admin::Response response = admin::error_response(426, "upgrade_required", "this is a WebSocket");
  response.headers.emplace_back("Upgrade", "websocket");
  return response;
}

}  // namespace

std::vector<admin::Route> process_routes(const ApiPtr& api) {
  return {{"GET", "/ready", [api](const Request&) { return ready(*api); }, {}, admin::Access::everyone},
          {"GET", "/api/status", [api](const Request&) { return status(api); }},
          {"GET", "/api/openapi.json", document},
          {"GET", "/api/log-level", log_level},
          {"PUT", "/api/log-level", set_log_level},
          {"GET", "/api/live", no_upgrade}};
}

}  // namespace mobula::server::api

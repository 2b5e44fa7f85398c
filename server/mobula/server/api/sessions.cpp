// Sessions: players, their connections and bandwidth.
#include <algorithm>
#include <array>
#include <mobula/core/log.hpp>
#include <mobula/server/api/courses.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

std::string_view state_of(const ClientSession& session) {
  constexpr std::array<std::string_view, 5> names{"greeting", "joining", "playing", "away", "closing"};
  if (session.is_absent() && session.state == ClientSession::State::playing)
    return session.departing ? "departing" : "visiting";
  return names[static_cast<std::size_t>(session.state)];
}

std::string_view name_of(transport::Pipe pipe) {
  constexpr std::array<std::string_view, 3> names{"udp", "tcp", "websocket"};
  return names[static_cast<std::size_t>(pipe)];
}

json network_json(const transport::Session& connection) {
  const transport::SessionStats& stats = connection.stats();
  return {{"rtt_seconds", core::in_seconds(stats.rtt)},
          {"rtt_variation_seconds", core::in_seconds(stats.rtt_variation)},
          {"arrival_jitter_seconds", core::in_seconds(stats.arrival_jitter)},
          {"loss", static_cast<double>(stats.loss_permille) / 1000},
          {"budget_bytes_per_second", stats.allowed_bytes_per_second},
          {"sent_bytes_per_second", stats.sent_bytes_per_second},
          {"received_bytes_per_second", stats.received_bytes_per_second},
          {"acked_bytes_per_second", stats.acked_bytes_per_second},
          {"sent_bytes", stats.bytes_sent},
          {"received_bytes", stats.bytes_received},
          {"sent_datagrams", stats.datagrams_sent},
          {"received_datagrams", stats.datagrams_received},
          {"lost_datagrams", stats.datagrams_lost},
          {"reliable_backlog_bytes", connection.reliable_backlog_bytes()}};
}

constexpr double metres_of_mm(std::uint64_t mm) { return static_cast<double>(mm) / 1000; }

json prediction_json(Inspection& world, const ReportedPrediction& reported) {
  if (reported.reports == 0) return nullptr;
  const PredictionTotals& totals = reported.totals;
  const double ticks_per_second = world.world().ticks_per_second();
  const double corrections = static_cast<double>(std::max<std::uint64_t>(totals.corrections, 1));
  return {{"ticks", totals.ticks},
          {"ticks_replayed", totals.ticks_replayed},
          {"rollbacks", totals.rollbacks},
          {"late_mispredictions", totals.late_mispredictions},
          {"remote_mispredictions", totals.remote_mispredictions},
          {"level_mispredictions", totals.level_mispredictions},
          {"stalls", totals.stalls},
          {"corrections", totals.corrections},
          {"mean_correction_meters", metres_of_mm(totals.corrections_mm) / corrections},
          {"greatest_correction_meters", metres_of_mm(reported.greatest_correction_mm)},
          {"input_delay_seconds", reported.input_delay / 16.0 / ticks_per_second}};
}

json session_json(Inspection& world, const ClientSession& session, core::Nanoseconds now) {
  const transport::Session* connection = world.server().connection(session);
  const bool disconnected = session.state == ClientSession::State::disconnected;
  json reply = {
      {"player", session.player.id},
      {"name", session.player.name},
      {"account", session.player.account},
      {"spectator", session.player.spectator},
      {"state", state_of(session)},
      {"client_id", std::to_string(session.player.identity.client_id)},
      {"entity", session.player.entity ? json(to_string(session.player.entity)) : json(nullptr)},
      {"address", nullptr},
      {"pipe", nullptr},
      {"connected_seconds", core::in_seconds(now - (disconnected ? session.disconnected_since : session.connected_at))},
      {"network", nullptr},
      {"prediction", prediction_json(world, session.prediction)}};
  if (connection == nullptr) return reply;
  const transport::Address& address = world.server().endpoint().address(session.transport_id);
  reply["address"] = to_string(transport::Address{address.ip, address.port});
  reply["pipe"] = name_of(address.pipe);
  reply["network"] = network_json(*connection);
  return reply;
}

json late_commands_json(const LateCommands& late) {
  return {{"run", late.run}, {"dropped", late.dropped}, {"missing", late.missing}};
}

// Returns the player in the path. Errors: "bad request".
core::Result<std::uint32_t> player_in(const Request& request) {
  const core::Result<std::uint64_t> player = number_or(request, "player", 1, ~0u, 0);
  if (!player) return player.error();
  return static_cast<std::uint32_t>(*player);
}

core::Result<const ClientSession*> find_session(Inspection& world, const Request& request) {
  const core::Result<std::uint32_t> player = player_in(request);
  if (!player) return player.error();
  for (const std::unique_ptr<ClientSession>& session : world.server().sessions())
    if (session->player.id == *player) return session.get();
  return core::Error{"no such player", core::format("there is no player {}", *player)};
}

json sent_json(Inspection& world, std::uint32_t player) {
  const ComponentBytes* sent = world.server().measure(player);
  json components = json::array();
  if (sent == nullptr) return {{"seconds", 0}, {"bytes", 0}, {"components", std::move(components)}};
  for (const auto& [pool, bits] : sent->by_size())
    components.push_back({{"component", pool == ecs::no_pool ? "" : world.registry().pool(pool).instance_name()},
                          {"bytes", static_cast<double>(bits) / 8},
                          {"courses", pool == ecs::no_pool ? json::array() : courses_json(world, pool)}});
  return {{"seconds", core::in_seconds(world.server().now() - sent->since)},
          {"bytes", sent->bytes},
          {"components", std::move(components)}};
}

core::Result<json> send_to_world(Inspection& world, const Request& request) {
  const core::Result<json> body = parse_body(request, {"target"});
  if (!body) return body.error();
  const auto target = body->find("target");
  if (target == body->end() || !target->is_string())
    return core::Error{"bad request", "target: expected a world's name"};
  const core::Result<std::uint32_t> player = player_in(request);
  if (!player) return player.error();
  const auto& name = target->get_ref<const std::string&>();
  if (const core::Status sent = world.server().send_player(*player, name); !sent) return sent.error();
  core::log_info("admin", "player {} is sent to world {}", *player, name);
  return json{{"player", *player}, {"target", name}};
}

// The player may be in any world of this process.
core::Result<json> send_account(const Api& api, const Request& request) {
  const core::Result<json> body = parse_body(request, {"account", "target"});
  if (!body) return body.error();
  for (const char* const name : {"account", "target"})
    if (const auto field = body->find(name); field == body->end() || !field->is_string())
      return core::Error{"bad request", core::format("{}: expected text", name)};
  const auto& account = (*body)["account"].get_ref<const std::string&>();
  const auto& target = (*body)["target"].get_ref<const std::string&>();
  json sent{{"account", account}, {"target", target}, {"world", nullptr}};
  if (account.empty()) return sent;
  for (Inspection* const world : api.worlds()) {
    for (const KnownPlayer& player : world->server().known_players()) {
      if (!player.present || player.account != account) continue;
      sent["world"] = world->name();
      if (world->name() == target) return sent;
      if (const core::Status good = world->server().send_player(player.id, target); !good) return good.error();
      core::log_info("admin", "account {} is sent from world {} to world {}", account, world->name(), target);
      return sent;
    }
  }
  return sent;
}

admin::Handler send_any(const ApiPtr& api) {
  return [api](const Request& request) -> admin::Reply {
    return admin::Query{[api, request]() -> admin::Finish {
      const core::Result<json> sent = send_account(*api, request);
      if (!sent) return [error = sent.error()] { return admin::error_response(error); };
      return [reply = *sent] { return answer_of(reply); };
    }};
  };
}

core::Result<json> kick(Inspection& world, const Request& request) {
  const core::Result<json> body = parse_body(request, {"reason"});
  if (!body) return body.error();
  const core::Result<std::string> reason = reason_in(*body);
  if (!reason) return reason.error();
  const core::Result<std::uint32_t> player = player_in(request);
  if (!player) return player.error();
  if (const core::Status kicked = world.server().kick(*player, *reason); !kicked) return kicked.error();
  core::log_info("admin", "player {} is kicked: {}", *player, *reason);
  return json{{"player", *player}, {"reason", *reason}};
}

}  // namespace

core::Result<json> read_sessions(Inspection& world, const Request& request) {
  const core::Result<Page> page = api::page(request);
  if (!page) return page.error();
  const std::span<const std::unique_ptr<ClientSession>> all = world.server().sessions();
  json sessions = json::array();
  std::size_t at = page->cursor;
  for (; at < all.size() && sessions.size() < page->limit; ++at)
    sessions.push_back(session_json(world, *all[at], world.server().now()));
  return json{{"world", world.name()},
              {"total", all.size()},
              {"sessions", std::move(sessions)},
              {"next", next_page(at, at < all.size())}};
}

core::Result<json> read_session(Inspection& world, const Request& request) {
  const core::Result<const ClientSession*> found = find_session(world, request);
  if (!found) return found.error();
  const ClientSession& session = **found;
  json reply = session_json(world, session, world.server().now());
  json viewpoints = json::array();
  json groups = json::array();
  if (session.replication.viewer != nullptr) {
    for (const ecs::Entity viewpoint : session.replication.viewer->viewpoints())
      viewpoints.push_back(to_string(viewpoint));
    for (const std::uint32_t group : session.replication.viewer->interest_groups()) groups.push_back(group);
  }
  reply["world"] = world.name();
  reply["viewpoints"] = std::move(viewpoints);
  reply["rooms"] = groups;  // the former key
  reply["interest_groups"] = std::move(groups);
  reply["seen_entities"] = session.replication.view == nullptr ? 0 : session.replication.view->visible().size();
  reply["pending_entities"] = session.replication.view == nullptr ? 0 : session.replication.view->pending();
  reply["verifies"] = session.replication.view != nullptr && session.replication.view->verifies();
  reply["late_commands"] = late_commands_json(session.commands.stats().late);
  reply["accepted_views"] = session.claims.count;
  reply["refused_views"] = session.claims.refused;
  reply["sent"] = sent_json(world, session.player.id);
  return reply;
}

std::vector<admin::Route> session_routes(const ApiPtr& api) {
  return {{"GET", "/api/sessions", query_world(api, read_sessions), {"world", "cursor", "limit"}},
          {"GET", "/api/sessions/{player}", query_world(api, read_session), {"world"}},
          {"POST", "/api/sessions/{player}/kick", query_world(api, kick), {"world"}},
          {"POST", "/api/sessions/{player}/send", query_world(api, send_to_world), {"world"}},
          {"POST", "/api/players/send", send_any(api)}};
}

}  // namespace mobula::server::api

#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/session/account_name.hpp>
#include <mobula/server/session/admission.hpp>
#include <mobula/server/session/printable_text.hpp>
#include <mobula/wire/player_name.hpp>
#include <utility>

namespace mobula::server {
namespace {

using transport::ReasonCode;

// Reason of World::create and World::spawn, which a game's join() returns. The client may try again later.
constexpr std::string_view world_full = "too many entities";
constexpr core::Nanoseconds visit_time = 10 * core::second;  // within which the client comes
constexpr std::uint64_t ban_seconds_max = 100ull * 365 * 86'400;

}  // namespace

// --- Connections ---------------------------------------------------------------------------------------------------

ClientSession* Admission::find_rejoining(std::uint64_t client_id) const {
  if (!parts_.rejoin_tokens.issued(client_id)) return nullptr;
  return parts_.sessions.find_rejoining(RejoinIds::session_of(client_id));
}

void Admission::on_connected(const transport::ServerEvent& event, core::Nanoseconds now, std::uint64_t unix_seconds) {
  const std::uint64_t client_id = event.identity.client_id;
  const auto refuse = [&](const core::Error& error) {
    parts_.sessions.refuse_connection(event.session, event.address, ReasonCode::refused, error);
  };
  ClientSession* const session = find_rejoining(client_id);
  std::optional<ZoneRegion> zone;
  if (session != nullptr)
    zone = session->zone;
  else if (config_.zone && config_.zone->neighbour)
    zone = config_.zone->neighbour(event.identity);
  std::string account;
  if (!zone) {
    account = account_name(run_hook("Game::account", [&] { return parts_.game.account(event.identity); }));
    if (const Ban* const ban = bans_.find(account, unix_seconds)) return refuse({"banned", to_string(*ban)});
    const core::Status authenticated =
        run_hook("Game::authenticate", [&] { return parts_.game.authenticate(event.identity); });
    if (!authenticated) return refuse(authenticated.error());
  }
  if (session == nullptr && parts_.rejoin_tokens.issued(client_id))
    return refuse({"session over",
                   "the session that this rejoin token belongs to has ended; join again with a new connect token"});
  if (session != nullptr) return parts_.sessions.resume(*session, event, now);
  core::log_debug("server", "{} connected", transport::to_string(event.address));
  parts_.sessions.add(event, std::move(account), now).zone = zone;
}

// --- Hello ---------------------------------------------------------------------------------------------------------

core::Status Admission::on_hello(ClientSession& session, transport::Session& connection, const wire::Hello& hello,
                                 core::Nanoseconds now) {
  if (session.state != ClientSession::State::greeting || session.held_hello != nullptr)
    return core::Error{"out of turn", "the client has sent Hello already"};
  if (hello.spectate && hello.awaits_player) return core::Error{"bad hello", "a spectator has no player to await"};
  if (waits(session, hello)) {
    session.held_hello = std::make_unique<wire::Hello>(hello);
    session.held_since = now;
    return core::Done{};
  }
  answer(session, connection, hello, now);
  return core::Done{};
}

bool Admission::waits(const ClientSession& session, const wire::Hello& hello) const {
  return hello.awaits_player && !session.joined && parts_.sessions.find_same_account(session) == nullptr &&
         !visits_.contains(session.player.identity.client_id);
}

void Admission::retry_held(ClientSession& session, transport::Session& connection, core::Nanoseconds now) {
  if (session.state != ClientSession::State::greeting || waits(session, *session.held_hello)) return;
  const std::unique_ptr<wire::Hello> hello = std::move(session.held_hello);
  answer(session, connection, *hello, now);
}

void Admission::expect_visit(const wire::Visit& visit, core::Nanoseconds now) {
  std::erase_if(visits_, [&](const auto& each) { return each.second.until <= now; });
  visits_[visit.client_id] = {visit.entity, now + visit_time};
}

void Admission::answer(ClientSession& session, transport::Session& connection, const wire::Hello& hello,
                       core::Nanoseconds now) {
  std::optional<Refusal> refusal = check_versions(hello);
  if (!refusal && !session.joined && !hello.spectate && !hello.awaits_player)
    if (const std::optional<transport::Reason> away = parts_.departed.find(session.player.account, now)) {
      return parts_.sessions.expel(session, *away, "player elsewhere");
    }
  if (!refusal && !session.joined) refusal = admit(session, hello);
  if (!refusal) {
    session.replication.verifies = hello.verify;
    session.reports_refusals = hello.refusals;
    session.follows = hello.follows;
    if (const core::Status sent = welcome(session, connection, hello, now); !sent)
      refusal = Refusal{ReasonCode::kicked, sent.error()};
  }
  if (refusal) parts_.sessions.close(session, refusal->code, refusal->error, now);
}

std::optional<Admission::Refusal> Admission::check_versions(const wire::Hello& hello) const {
  if (hello.version != wire::protocol_version)
    return Refusal{ReasonCode::other_protocol,
                   {"other protocol", core::format("the server has protocol version {}, the client {}",
                                                   wire::protocol_version, hello.version)}};
  const core::ContentHash& fingerprint = parts_.world.schema().fingerprint();
  if (hello.schema_fingerprint && *hello.schema_fingerprint != fingerprint)
    return Refusal{ReasonCode::refused,
                   {"other schema", core::format("the server has schema {:.16}, the client {:.16}",
                                                 to_string(fingerprint), to_string(*hello.schema_fingerprint))}};
  return std::nullopt;
}

std::optional<Admission::Refusal> Admission::admit(ClientSession& session, const wire::Hello& hello) {
  if (session.zone) {
    session.player.name = wire::player_name(hello.name);
    parts_.players.add_neighbour(session, *session.zone);
    return std::nullopt;
  }
  if (drain_) return Refusal{ReasonCode::shutting_down, {"closing", drain_->reason}};
  session.player.name = wire::player_name(hello.name);
  session.player.spectator = hello.spectate;
  parts_.sessions.finish_closing(session.player.account);
  ClientSession* const other = parts_.sessions.find_same_account(session);
  session.commands_continue = hello.commands_continue;
  if (other == nullptr && hello.awaits_player) {
    parts_.players.add_visitor(session, visits_.extract(session.player.identity.client_id).mapped().entity);
    return std::nullopt;
  }
  if (other != nullptr && hello.commands_continue) session.first_command = other->commands.expected();
  if (other != nullptr && other->state != ClientSession::State::disconnected &&
      config_.duplicate_login == DuplicateLogin::refuse)
    return Refusal{ReasonCode::refused, {"already here", "this account is in the game already"}};
  const bool same_role = other != nullptr && other->player.spectator == session.player.spectator;
  if (same_role && !other->restored) {
    take_over(session, *other);
    return std::nullopt;
  }
  if (std::optional<Refusal> full = check_room(session.player.spectator, same_role)) return full;
  if (const core::Status joined = join(session, same_role ? other : nullptr); !joined)
    return Refusal{joined.error().reason == world_full ? ReasonCode::server_full : ReasonCode::refused, joined.error()};
  if (same_role) {
    other->joined = false;  // the restored session expires, and the game does not notice
  } else if (other != nullptr) {
    parts_.sessions.expel(*other, {ReasonCode::replaced, "the same account joined in another role"}, "replaced");
  }
  return std::nullopt;
}

// `counted` is true if the player is in the game already, because it was restored.
std::optional<Admission::Refusal> Admission::check_room(bool spectator, bool counted) const {
  const std::size_t here = parts_.players.count(spectator) - (counted ? 1 : 0);
  const std::uint32_t most = spectator ? config_.spectators_max : config_.players_max;
  if (here < most) return std::nullopt;
  return Refusal{
      ReasonCode::server_full,
      {"server full", core::format("{} of {} {} are in the game", here, most, spectator ? "spectators" : "players")}};
}

// Gives the other session's player to this one. The game does not notice.
void Admission::take_over(ClientSession& session, ClientSession& other) {
  const Identity identity = session.player.identity;
  session.player = other.player;
  session.player.identity = identity;
  session.limiters = std::move(other.limiters);
  parts_.players.hand_over(other, session);
  const core::LogScope about(session.log_fields());
  core::log_info("server", "player {} \"{}\" logged in again, from {}", session.player.id, session.player.name,
                 transport::to_string(parts_.endpoint.address(session.transport_id)));
  ++(other.state == ClientSession::State::disconnected ? parts_.stats.rejoins : parts_.stats.replaced);
  parts_.sessions.expel(other, {ReasonCode::replaced, "the same account logged in again"}, "replaced");
}

core::Status Admission::join(ClientSession& session, const ClientSession* restored) {
  if (core::Status joined = parts_.players.join(session, restored); !joined) return joined;
  const Player& player = session.player;
  core::LogFields fields = session.log_fields();
  if (player.entity) fields.entity = {player.entity.index, player.entity.generation};
  const core::LogScope about(fields);
  core::log_info("server", "{} {} \"{}\" joined from {} with {}", session.role(), player.id, player.name,
                 transport::to_string(parts_.endpoint.address(session.transport_id)),
                 player.spectator ? "no entity" : "entity " + to_string(player.entity));
  return core::Done{};
}

// --- Welcome -------------------------------------------------------------------------------------------------------

core::Status Admission::welcome(ClientSession& session, transport::Session& connection, const wire::Hello& hello,
                                core::Nanoseconds now) {
  const bool resumed = session.resume_replication(hello.resume);
  if (!resumed) session.replication.level = parts_.replicator.offered_level(hello.resources);
  const core::Result<transport::ReliableId> sent =
      connection.send_reliable(wire::encode(welcome_message(session, hello, resumed)));
  if (!sent) return sent.error();
  session.replication.offer.on_welcome(parts_.world);
  if (!resumed)
    if (const core::Status began = parts_.replicator.begin_view(session.replication, connection); !began) return began;
  session.update_player_entity(parts_.world.registry());
  session.sent_entity = session.player.entity;
  const core::Result<transport::ReliableId> last =
      connection.send_reliable(wire::encode(wire::PlayerEntity{session.player.entity}));
  if (!last) return last.error();
  if (drain_)
    static_cast<void>(connection.send_reliable(wire::encode(
        wire::Closing{static_cast<std::uint32_t>(std::max<core::Nanoseconds>(drain_->ends - now, 0) / core::second),
                      drain_->reason})));
  session.welcome = *last;
  session.welcomed_at = now;
  session.state = ClientSession::State::joining;
  return core::Done{};
}

wire::Welcome Admission::welcome_message(const ClientSession& session, const wire::Hello& hello, bool resumed) const {
  const reflect::Schema& schema = parts_.world.schema();
  wire::Welcome message{.session = session.player.id,
                        .ticks_per_second = config_.ticks_per_second,
                        .entities_max = parts_.world.registry().entities().config().entities_max,
                        .schema_fingerprint = schema.fingerprint(),
                        .schema = {},
                        .resources = offered_resources(parts_.world),
                        .resumed = resumed,
                        .prediction_seed = parts_.game.rules() != nullptr ? parts_.world.prediction_seed() : 0};
  const bool has_schema = resumed || hello.schema_fingerprint ||
                          std::ranges::find(hello.schemas, schema.fingerprint()) != hello.schemas.end();
  if (!has_schema) message.schema.assign(schema.bytes().begin(), schema.bytes().end());
  return message;
}

const Drain& Admission::begin_drain(std::string_view reason, core::Nanoseconds ends) {
  return drain_.emplace(Drain{printable(reason, transport::reason_text_bytes_max), ends});
}

// --- Bans ----------------------------------------------------------------------------------------------------------

core::Status Admission::ban(std::string_view account, std::string_view reason, std::uint64_t seconds,
                            std::uint64_t unix_seconds) {
  const std::uint64_t until = seconds == 0 ? 0 : unix_seconds + std::min(seconds, ban_seconds_max);
  core::Status added = bans_.add({std::string(account), std::string(reason), until}, unix_seconds);
  const Ban* const ban = bans_.find(account, unix_seconds);
  if (ban == nullptr) return added;
  if (!added) core::log_warn("server", "the ban of account {} is not saved: {}", account, added.error().message);
  core::log_info("server", "account {} is banned: {}", account, to_string(*ban));
  parts_.sessions.expel_account(account, {ReasonCode::kicked, "banned: " + to_string(*ban)}, "banned");
  return added;
}

void Admission::on_kick_request(const World::Kick& request, std::uint64_t unix_seconds) {
  const ClientSession* const session = parts_.sessions.find_joined(request.player);
  if (session == nullptr) return;
  core::Status banned = core::Done{};
  // The reason may quote the player, who must not be able to word it so that the ban list refuses it.
  if (request.ban_seconds)
    banned = ban(session->player.account, printable(request.reason, transport::reason_text_bytes_max),
                 *request.ban_seconds, unix_seconds);
  if (!banned) core::log_warn("server", "player {}: {}", request.player, banned.error().message);
  static_cast<void>(parts_.sessions.kick(request.player, request.reason));
}

}  // namespace mobula::server

// Who comes in: from Hello to Welcome. Players and spectators, and accounts that are here already.
#include <algorithm>
#include <mobula/core/hex.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/session/server.hpp>
#include <utility>

namespace mobula::server {
namespace {

using transport::ReasonCode;

constexpr std::size_t name_characters_max = 24;

}  // namespace

// As it may stand in logs and files.
std::string Server::account_of(const Identity& identity) const {
  std::string account = game_.account(identity);
  if (core::is_printable(account) && !account.starts_with("0x")) return account;
  return "0x" + core::to_hex(core::as_bytes(account.data(), account.size()));
}

std::size_t Server::count_joined(bool spectators) const {
  return static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& session) {
    return session->joined && session->player.spectator == spectators;
  }));
}

core::Status Server::take(ClientSession& session, transport::Session& lanes, const wire::Hello& hello,
                          core::Nanoseconds now) {
  if (session.state != ClientSession::State::greeting) return core::Error{"out of turn", "a client says Hello, once"};
  std::optional<Refusal> refusal = check(hello);
  if (!refusal && !session.joined) refusal = let_in(session, hello);
  if (!refusal) {
    session.verifies = hello.verify;
    if (const core::Status sent = welcome(session, lanes, hello); !sent)
      refusal = Refusal{ReasonCode::kicked, sent.error()};
  }
  if (refusal) close(session, refusal->code, refusal->error, now);
  return core::Done{};
}

std::optional<Server::Refusal> Server::check(const wire::Hello& hello) const {
  if (hello.version != wire::protocol_version)
    return Refusal{ReasonCode::other_protocol,
                   {"other protocol", core::format("the server speaks version {}, the client {}",
                                                   wire::protocol_version, hello.version)}};
  const core::ContentHash& fingerprint = world_->schema().fingerprint();
  if (hello.schema_fingerprint && *hello.schema_fingerprint != fingerprint)
    return Refusal{ReasonCode::refused,
                   {"other schema", core::format("the server has schema {:.16}, the client {:.16}",
                                                 to_string(fingerprint), to_string(*hello.schema_fingerprint))}};
  return std::nullopt;
}

std::optional<Server::Refusal> Server::let_in(ClientSession& session, const wire::Hello& hello) {
  if (draining_) return Refusal{ReasonCode::shutting_down, {"closing", draining_->reason}};
  session.player.name = printable(hello.name, name_characters_max);
  session.player.spectator = hello.spectate;
  end_who_was_sent_away(session.player.account);
  ClientSession* const other = find_same_account(session);
  if (other != nullptr && other->state != ClientSession::State::disconnected &&
      config_.duplicate_login == DuplicateLogin::refuse)
    return Refusal{ReasonCode::refused, {"already here", "this account is in the game already"}};
  const bool same_part = other != nullptr && other->player.spectator == session.player.spectator;
  if (same_part && !other->restored) {
    take_over(session, *other);
    return std::nullopt;
  }
  if (std::optional<Refusal> full = check_room(session.player.spectator, same_part)) return full;
  if (const core::Status joined = join(session, same_part ? other : nullptr); !joined)
    return Refusal{ReasonCode::refused, joined.error()};
  if (same_part) {
    other->joined = false;  // and nobody is waited for
  } else if (other != nullptr) {
    send_away(*other, {ReasonCode::replaced, "the same account came in another way"}, "replaced");
  }
  return std::nullopt;
}

// Who comes back after a restart is counted already.
std::optional<Server::Refusal> Server::check_room(bool spectator, bool counted) const {
  const std::size_t here = count_joined(spectator) - (counted ? 1 : 0);
  const std::uint32_t most = spectator ? config_.spectators_max : config_.players_max;
  if (here < most) return std::nullopt;
  return Refusal{ReasonCode::server_full,
                 {"server full", core::format("{} of {} {} are in", here, most, spectator ? "spectators" : "players")}};
}

ClientSession* Server::find_same_account(const ClientSession& session) {
  if (session.player.account.empty()) return nullptr;
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& each) {
    return each.get() != &session && each->joined && each->state != ClientSession::State::closing &&
           each->player.account == session.player.account;
  });
  return found == sessions_.end() ? nullptr : found->get();
}

// The game hears that somebody leaves before the same account comes again.
void Server::end_who_was_sent_away(std::string_view account) {
  if (account.empty()) return;
  for (const auto& session : sessions_)
    if (session->state == ClientSession::State::closing && session->player.account == account)
      end(*session, "sent away");
}

// The player goes over to the newcomer; the game does not notice.
void Server::take_over(ClientSession& session, ClientSession& other) {
  const Identity identity = session.player.identity;
  session.player = other.player;
  session.player.identity = identity;
  session.viewer = std::exchange(other.viewer, nullptr);
  session.gates = std::move(other.gates);
  session.joined = true;
  other.joined = false;
  const core::LogScope about(session.log_fields());
  core::log_info("server", "player {} \"{}\" logged in again, from {}", session.player.id, session.player.name,
                 transport::to_string(endpoint_.address(session.transport_id)));
  ++(other.state == ClientSession::State::disconnected ? stats_.rejoins : stats_.replaced);
  send_away(other, {ReasonCode::replaced, "the same account logged in again"}, "replaced");
}

// `before`: what was restored of the player; null: nothing.
core::Status Server::join(ClientSession& session, const ClientSession* before) {
  Player& player = session.player;
  player.id = before != nullptr ? before->player.id : next_player_++;
  if (!player.spectator)
    player.entity = before != nullptr ? before->player.entity : former_.find(player.account, world_->registry());
  if (!world_->registry().valid(player.entity)) player.entity = ecs::null_entity;
  world_->add_viewer(player.id);
  if (const core::Status asked = ask_game(player); !asked) {
    if (before == nullptr) world_->remove_viewer(player.id);
    return asked;
  }
  if (!player.spectator) former_.forget(player.account);
  session.joined = true;
  session.viewer = world_->viewer(player.id);
  if (session.viewer->viewpoints().size() == 1 && !session.viewer->viewpoints()[0])
    session.viewer->set_viewpoints({&player.entity, 1});
  core::LogFields about_whom = session.log_fields();
  if (player.entity) about_whom.entity = {player.entity.index, player.entity.generation};
  const core::LogScope about(about_whom);
  core::log_info("server", "{} {} \"{}\" joined from {} as {}", player.spectator ? "spectator" : "player", player.id,
                 player.name, transport::to_string(endpoint_.address(session.transport_id)),
                 player.spectator ? "nobody" : to_string(player.entity));
  return core::Done{};
}

core::Status Server::ask_game(Player& player) {
  if (player.spectator) return game_.spectate(*world_, player);
  const core::Result<ecs::Entity> joined = game_.join(*world_, player);
  if (!joined) return joined.error();
  player.entity = *joined;
  return core::Done{};
}

core::Status Server::welcome(ClientSession& session, transport::Session& lanes, const wire::Hello& hello) {
  const bool resumed = session.resume_replication(hello.resume);
  const core::ContentHash& fingerprint = world_->schema().fingerprint();
  const bool has_schema =
      resumed || hello.schema_fingerprint || std::ranges::find(hello.schemas, fingerprint) != hello.schemas.end();
  const bool has_level = level_ != nullptr && offers_level_ &&
                         std::ranges::find(hello.resources, level_->copy().identity()) != hello.resources.end();
  if (!resumed) session.level = has_level ? level_ : nullptr;
  wire::Welcome welcome{.session = session.player.id,
                        .ticks_per_second = config_.ticks_per_second,
                        .entities_max = world_->registry().entities().config().entities_max,
                        .schema_fingerprint = fingerprint,
                        .schema = {},
                        .resources = {},
                        .resumed = resumed};
  const core::ByteView schema = world_->schema().bytes();
  if (!has_schema) welcome.schema.assign(schema.begin(), schema.end());
  if (config_.level != nullptr)
    welcome.resources.push_back({config_.level->identity(), config_.level->clients_bytes().size()});
  const core::Result<transport::ReliableId> sent = lanes.send_reliable(wire::encode(welcome));
  if (!sent) return sent.error();
  if (const core::Status began = resumed ? core::Done{} : begin_view(session, lanes); !began) return began;
  const core::Result<transport::ReliableId> told =
      lanes.send_reliable(wire::encode(wire::PlayerEntity{session.player.entity}));
  if (!told) return told.error();
  if (draining_)
    static_cast<void>(lanes.send_reliable(wire::encode(
        wire::Closing{static_cast<std::uint32_t>(std::max<core::Nanoseconds>(draining_->ends - now_, 0) / core::second),
                      draining_->reason})));
  session.welcome = *told;
  session.state = ClientSession::State::joining;
  return core::Done{};
}

// --- Over a restart ------------------------------------------------------------------------------------------------

std::vector<KnownPlayer> Server::known_players() {
  std::vector<KnownPlayer> known;
  for (const auto& session : sessions_) {
    const Player& player = session->player;
    if (session->joined && !player.spectator)  // whom the game has not been told to have left
      known.push_back({player.id, player.name, player.account, player.entity, true});
  }
  for (const auto& [account, entity] : former_.all(world_->registry()))
    known.push_back({0, "", account, entity, false});
  return known;
}

void Server::restore_players(std::uint32_t next_player, const std::vector<KnownPlayer>& known) {
  next_player_ = std::max(next_player, 1u);
  for (const KnownPlayer& each : known) {
    if (!each.present && !each.account.empty()) former_.note(each.account, each.entity, world_->registry());
    const bool is_one = each.id != 0 && each.id < next_player_ && world_->viewer(each.id) == nullptr;
    const bool lives = !each.entity || world_->registry().valid(each.entity);
    if (!each.present || !is_one || !lives) continue;
    ClientSession& session = *sessions_.emplace_back(std::make_unique<ClientSession>(transport::SessionId{}));
    session.player = {.id = each.id, .name = each.name, .entity = each.entity, .account = each.account};
    world_->add_viewer(each.id);
    session.viewer = world_->viewer(each.id);
    session.joined = true;
    session.restored = true;
    session.state = ClientSession::State::disconnected;
  }
}

}  // namespace mobula::server

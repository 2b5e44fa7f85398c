// The server's sessions: who comes, goes, comes back, and is sent away.
#include <algorithm>
#include <array>
#include <mobula/core/log.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::server {
namespace {

// A rejoin token is good for twice as long as the client waits for the next, and for the grace after that.
constexpr core::Nanoseconds rejoin_token_interval = 300 * core::second;
constexpr std::uint32_t rejoin_token_seconds = 600;
constexpr core::Nanoseconds drops_report_interval = 10 * core::second;
// What an honest client's operator would want to know; the rest is what networks do.
constexpr std::array worth_telling{transport::Drop::wrong_version,
                                   transport::Drop::wrong_protocol,
                                   transport::Drop::token_expired,
                                   transport::Drop::address_limit,
                                   transport::Drop::global_limit,
                                   transport::Drop::token_forged,
                                   transport::Drop::token_malformed,
                                   transport::Drop::other_server,
                                   transport::Drop::client_in_use,
                                   transport::Drop::token_used,
                                   transport::Drop::used_tokens_full,
                                   transport::Drop::handshakes_full,
                                   transport::Drop::flood};

transport::TokenSecrets fresh_secrets(core::SecretStream& stream) {
  transport::TokenSecrets secrets;
  stream.fill(secrets.nonce);
  stream.fill(secrets.client_to_server);
  stream.fill(secrets.server_to_client);
  return secrets;
}

// What the client did not want, or the server will not have, is over; what the network did may be mended.
bool may_come_back(transport::ReasonCode code) {
  return code == transport::ReasonCode::timed_out || code == transport::ReasonCode::pipe_lost;
}

}  // namespace

std::string printable(std::string_view text, std::size_t characters_max) {
  std::string result(text.substr(0, characters_max));
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result;
}

ClientSession* Server::find(transport::SessionId id) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& session) {
    return session->transport_id == id && session->state != ClientSession::State::disconnected;
  });
  return found == sessions_.end() ? nullptr : found->get();
}

ClientSession* Server::find_rejoining(std::uint64_t client_id) {
  if (!rejoin_ids_.made_here(client_id)) return nullptr;
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& session) {
    return session->rejoin_number == RejoinIds::session_of(client_id) && session->joined &&
           session->state != ClientSession::State::closing;
  });
  return found == sessions_.end() ? nullptr : found->get();
}

void Server::take_events(core::Nanoseconds now) {
  transport::ServerEvent event;
  while (endpoint_.poll_event(event)) {
    switch (event.kind) {
      case transport::ServerEvent::Kind::refused:
        core::log_warn("server", "refused {}: {}", transport::to_string(event.address), to_string(event.reason));
        break;
      case transport::ServerEvent::Kind::connected: meet(event, now); break;
      case transport::ServerEvent::Kind::disconnected: part(event, now); break;
    }
  }
}

void Server::meet(const transport::ServerEvent& event, core::Nanoseconds now) {
  if (endpoint_.find(event.session) == nullptr) return;  // came and went since the last tick
  const std::string account = account_of(event.identity);
  if (const Ban* const ban = bans_.find(account, unix_time_))
    return turn_away(event.session, event.address, transport::ReasonCode::refused, {"banned", to_string(*ban)});
  if (const core::Status admitted = game_.authenticate(event.identity); !admitted)
    return turn_away(event.session, event.address, transport::ReasonCode::refused, admitted.error());
  ClientSession* session = find_rejoining(event.identity.client_id);
  if (session == nullptr && rejoin_ids_.made_here(event.identity.client_id))
    return turn_away(event.session, event.address, transport::ReasonCode::refused,
                     {"session over", "the session that this rejoin token belongs to has ended"});
  if (session != nullptr) {
    if (session->state != ClientSession::State::disconnected)
      closing_.emplace_back(session->transport_id,
                            transport::Reason{transport::ReasonCode::replaced, "the client came back another way"});
    const core::LogScope about(session->log_fields());
    core::log_info("server", "player {} \"{}\" is back from {}", session->player.id, session->player.name,
                   transport::to_string(event.address));
    ++stats_.rejoins;
    return session->resume(event.session, now);
  }
  core::log_debug("server", "{} connected", transport::to_string(event.address));
  sessions_.push_back(std::make_unique<ClientSession>(event.session));
  sessions_.back()->connected_at = now;
  sessions_.back()->player.identity = event.identity;
  sessions_.back()->player.account = account;
}

bool Server::may_more_be_away() const {
  return std::ranges::count(sessions_, ClientSession::State::disconnected,
                            [](const auto& each) { return each->state; }) < std::int64_t{config_.disconnected_max};
}

void Server::part(const transport::ServerEvent& event, core::Nanoseconds now) {
  ClientSession* session = find(event.session);
  if (session == nullptr) return;
  const core::LogScope about(session->log_fields());
  // Whoever is being sent away is not waited for, though the pipe was lost first.
  const bool waits = session->joined && session->state != ClientSession::State::closing &&
                     session->rejoin_number != 0 && may_more_be_away();
  if (waits && may_come_back(event.reason.code)) {
    core::log_info("server", "player {} \"{}\" is away: {}", session->player.id, session->player.name,
                   to_string(event.reason));
    return session->disconnect(now);
  }
  end(*session, to_string(event.reason));
  std::erase_if(sessions_, [&](const auto& kept) { return kept.get() == session; });
}

// Whoever had come back is away again: its grace goes on, from when it was away first.
void Server::give_up_greeting(ClientSession& session, core::Nanoseconds now) {
  const core::Error silent{"no hello", "connected, and never said Hello"};
  if (!session.joined || !may_more_be_away()) return close(session, transport::ReasonCode::timed_out, silent, now);
  turn_away(session.transport_id, endpoint_.address(session.transport_id), transport::ReasonCode::timed_out, silent);
  session.disconnect(now);
}

void Server::end_absent(core::Nanoseconds now) {
  std::erase_if(sessions_, [&](const std::unique_ptr<ClientSession>& session) {
    if (session->state != ClientSession::State::disconnected) return false;
    if (session->restored && session->disconnected_since == 0) session->disconnected_since = now;  // the first tick
    // No client can say that such a player is its own.
    const bool nobodys = session->restored && session->player.account.empty();
    if (session->joined && !nobodys && now - session->disconnected_since < config_.rejoin_grace) return false;
    end(*session, nobodys ? "was restored, and has no account to come back by" : "was away for too long");
    return true;
  });
}

void Server::end(ClientSession& session, const std::string& why) {
  if (!session.joined) return;
  const core::LogScope about(session.log_fields());
  core::log_info("server", "{} {} \"{}\" is gone: {}", session.player.spectator ? "spectator" : "player",
                 session.player.id, session.player.name, why);
  session.joined = false;
  const Player& player = session.player;
  game_.leave(*world_, player);
  if (!player.spectator && !player.account.empty()) former_.note(player.account, player.entity, world_->registry());
  session.viewer = nullptr;
  world_->remove_viewer(player.id);
}

// Who is away has nobody to be told, and is not waited for; whom the game does not know is only told.
void Server::send_away(ClientSession& session, const transport::Reason& reason, const char* counted) {
  if (session.state == ClientSession::State::closing) return;
  ++stats_.refusals[counted];
  if (session.state == ClientSession::State::disconnected) return end(session, to_string(reason));
  session.state = ClientSession::State::closing;
  closing_.emplace_back(session.transport_id, reason);
}

core::Status Server::kick(std::uint32_t player, std::string_view reason) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&](const auto& session) { return session->joined && session->player.id == player; });
  if (found == sessions_.end()) return core::Error{"no such player", core::format("nobody here is player {}", player)};
  send_away(**found, {transport::ReasonCode::kicked, std::string(reason)}, "kicked");
  return core::Done{};
}

core::Status Server::ban(std::string_view account, std::string_view reason, std::uint64_t seconds) {
  constexpr std::uint64_t seconds_max = 100ull * 365 * 86'400;
  const std::uint64_t until = seconds == 0 ? 0 : unix_time_ + std::min(seconds, seconds_max);
  core::Status added = bans_.add({std::string(account), std::string(reason), until}, unix_time_);
  const Ban* const ban = bans_.find(account, unix_time_);
  if (ban == nullptr) return added;
  if (!added) core::log_warn("server", "the ban of {} is not kept: {}", account, added.error().message);
  core::log_info("server", "account {} is banned: {}", account, to_string(*ban));
  for (const auto& session : sessions_)
    if (session->player.account == account)
      send_away(*session, {transport::ReasonCode::kicked, "banned: " + to_string(*ban)}, "banned");
  return added;
}

// By a hook of the game. Who has left in the same tick is passed over.
void Server::take(const World::Kick& wish) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& session) {
    return session->joined && session->player.id == wish.player;
  });
  if (found == sessions_.end()) return;
  core::Status banned = core::Done{};
  // A reason may quote the player, who must not be able to word it so that no ban can have it.
  if (wish.ban_seconds)
    banned = ban((*found)->player.account, printable(wish.reason, transport::reason_text_bytes_max), *wish.ban_seconds);
  if (!banned) core::log_warn("server", "player {}: {}", wish.player, banned.error().message);
  static_cast<void>(kick(wish.player, wish.reason));
}

// Whoever cannot come in is told nothing, by the standard: the log says it, at once and then once in a while.
void Server::report_drops(core::Nanoseconds now) {
  if (now < next_drops_report_) return;
  transport::DropCounters drops;
  for (const transport::Drop drop : worth_telling)
    drops.counts[static_cast<std::size_t>(drop)] = endpoint_.counters().dropped.of(drop);
  const std::string turned_away = transport::describe_new(drops, reported_drops_);
  reported_drops_ = drops;
  if (turned_away.empty()) return;
  next_drops_report_ = now + drops_report_interval;
  core::log_warn("server", "datagrams turned away: {}", turned_away);
}

void Server::turn_away(transport::SessionId id, const transport::Address& address, transport::ReasonCode code,
                       const core::Error& error) {
  ++stats_.refusals[error.reason];
  core::log_warn("server", "closing {}: {}: {}", transport::to_string(address), error.reason, error.message);
  closing_.emplace_back(id, transport::Reason{code, core::format("{}: {}", error.reason, error.message)});
}

void Server::close(ClientSession& session, transport::ReasonCode code, const core::Error& error,
                   core::Nanoseconds now) {
  if (session.state == ClientSession::State::closing) return;
  if (session.state == ClientSession::State::disconnected) {  // nobody is there to be told
    session.disconnected_since = now - config_.rejoin_grace;
    return;
  }
  session.state = ClientSession::State::closing;
  turn_away(session.transport_id, endpoint_.address(session.transport_id), code, error);
}

void Server::drop_closed(core::Nanoseconds now, transport::Output& output) {
  for (const auto& [id, reason] : closing_) endpoint_.disconnect(id, reason, now, output);
  closing_.clear();
}

void Server::count_refusal(const core::Error& error, ClientSession& session, core::Nanoseconds now) {
  ++stats_.refusals[error.reason];
  const core::LogScope about(session.log_fields());
  core::log_warn("server", "refused of player {} \"{}\": {}: {}", session.player.id, session.player.name, error.reason,
                 error.message);
  if (!session.admit_refusal(now))
    close(session, transport::ReasonCode::kicked,
          {"too many refusals", core::format("more than {} in a second, the last: {}",
                                             ClientSession::refusals_per_second_max, error.message)},
          now);
}

// The client may come back with them, each once; the identity in them is the one that the backend gave. That of the
// session under way is left out: two at a time never have the same client id.
void Server::hand_rejoin_tokens(ClientSession& session, transport::Session& lanes, core::Nanoseconds now) {
  static_assert(RejoinIds::per_session <= wire::max_rejoin_tokens);
  if (session.rejoin_number == 0) session.rejoin_number = rejoin_ids_.next_session();
  session.next_rejoin_tokens = now + rejoin_token_interval;
  const auto good_for = rejoin_token_seconds + static_cast<std::uint32_t>(config_.rejoin_grace / core::second);
  wire::RejoinTokens message;
  for (std::uint32_t which = 0; which < RejoinIds::per_session; ++which) {
    const transport::TokenRequest request{.protocol_id = config_.transport.protocol_id,
                                          .client_id = rejoin_ids_.make(session.rejoin_number, which),
                                          .user_data = session.player.identity.user_data,
                                          .servers = config_.token_servers,
                                          .expire_seconds = good_for};
    if (request.client_id == endpoint_.identity(session.transport_id).client_id) continue;
    const core::Result<core::Bytes> token =
        transport::mint_token(request, config_.transport.private_key, fresh_secrets(secrets_), unix_time_);
    if (!token) return core::log_error("server", "no rejoin tokens: {}", token.error().message);
    message.tokens.insert(message.tokens.end(), token->begin(), token->end());
  }
  // A lane that is full has worse to tell.
  static_cast<void>(lanes.send_reliable(wire::encode(message)));
}

// The notice is a message of its own: a goodbye ends the session.
void Server::drain(std::string_view reason, std::uint32_t seconds) {
  draining_ = {printable(reason, transport::reason_text_bytes_max), now_ + seconds * core::second};
  core::log_info("server", "closing in {} s: {}", seconds, draining_->reason);
  if (seconds == 0) return;
  const core::Bytes notice = wire::encode(wire::Closing{seconds, draining_->reason});
  for (const auto& session : sessions_)
    if (transport::Session* lanes = endpoint_.find(session->transport_id); lanes != nullptr && session->joined)
      static_cast<void>(lanes->send_reliable(notice));  // a lane that is full has worse to tell
}

bool Server::drained() const {
  if (!draining_) return false;
  return now_ >= draining_->ends || std::ranges::none_of(sessions_, [](const auto& session) {
           return session->joined && session->state != ClientSession::State::disconnected;
         });
}

void Server::shut_down(core::Nanoseconds now, transport::Output& output) {
  endpoint_.disconnect_all({transport::ReasonCode::shutting_down, draining_ ? draining_->reason : "the server ends"},
                           now, output);
  output.flush();
  take_events(now);
  for (const auto& session : sessions_) end(*session, "the server ends");  // who is away, too
}

}  // namespace mobula::server

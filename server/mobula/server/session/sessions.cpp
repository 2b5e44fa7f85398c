#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/server/session/sessions.hpp>

namespace mobula::server {
namespace {

using State = ClientSession::State;

constexpr core::Nanoseconds hello_timeout = 5 * core::second;
constexpr core::Nanoseconds welcome_timeout = 60 * core::second;  // since the Welcome; a schema may be large

// A connection that the client left or the server ended is not resumed; one that the network broke may be.
bool may_resume(transport::ReasonCode code) {
  return code == transport::ReasonCode::timed_out || code == transport::ReasonCode::pipe_lost;
}

template <class Predicate>
ClientSession* find_session(const std::vector<std::unique_ptr<ClientSession>>& sessions, Predicate&& predicate) {
  const auto found = std::ranges::find_if(sessions, [&](const auto& each) { return predicate(*each); });
  return found == sessions.end() ? nullptr : found->get();
}

}  // namespace

// --- Lookup --------------------------------------------------------------------------------------------------------

ClientSession* Sessions::find(transport::SessionId id) const {
  return find_session(sessions_, [&](const ClientSession& each) {
    return each.transport_id == id && each.state != State::disconnected;
  });
}

ClientSession* Sessions::find_joined(std::uint32_t player) const {
  return find_session(sessions_, [&](const ClientSession& each) { return each.joined && each.player.id == player; });
}

ClientSession* Sessions::find_rejoining(std::uint32_t rejoin_number) const {
  return find_session(sessions_, [&](const ClientSession& each) {
    return each.rejoin_number == rejoin_number && each.joined && each.state != State::closing;
  });
}

ClientSession* Sessions::find_same_account(const ClientSession& session) const {
  if (session.player.account.empty()) return nullptr;
  return find_session(sessions_, [&](const ClientSession& each) {
    return &each != &session && each.joined && each.state != State::closing &&
           each.player.account == session.player.account;
  });
}

std::size_t Sessions::count_joined(bool spectators) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      sessions_, [&](const auto& each) { return each->joined && each->player.spectator == spectators; }));
}

bool Sessions::any_connected() const {
  return std::ranges::any_of(sessions_,
                             [](const auto& each) { return each->joined && each->state != State::disconnected; });
}

bool Sessions::has_room_for_disconnected() const {
  return std::ranges::count(sessions_, State::disconnected, [](const auto& each) { return each->state; }) <
         std::int64_t{config_.disconnected_max};
}

// --- Connections ---------------------------------------------------------------------------------------------------

void Sessions::add(const transport::ServerEvent& connected, std::string account, core::Nanoseconds now) {
  ClientSession& session = *sessions_.emplace_back(std::make_unique<ClientSession>(connected.session));
  session.connected_at = now;
  session.turns.last = now;
  session.player.identity = connected.identity;
  session.player.account = std::move(account);
}

void Sessions::resume(ClientSession& session, const transport::ServerEvent& connected, core::Nanoseconds now) {
  if (session.state != State::disconnected)
    ending_connections_.emplace_back(
        session.transport_id,
        transport::Reason{transport::ReasonCode::replaced, "the client reconnected over another connection"});
  const core::LogScope about(session.log_fields());
  core::log_info("server", "player {} \"{}\" reconnected from {}", session.player.id, session.player.name,
                 transport::to_string(connected.address));
  ++stats_.rejoins;
  session.resume(connected.session, now);
}

void Sessions::on_disconnected(const transport::ServerEvent& event, core::Nanoseconds now) {
  ClientSession* const session = find(event.session);
  if (session == nullptr) return;
  const core::LogScope about(session->log_fields());
  // A closing session is not kept, even if its connection was lost before the server ended it.
  const bool can_resume =
      session->joined && session->state != State::closing && session->rejoin_number != 0 && has_room_for_disconnected();
  if (can_resume && may_resume(event.reason.code)) {
    core::log_info("server", "player {} \"{}\" lost its connection: {}", session->player.id, session->player.name,
                   to_string(event.reason));
    return session->disconnect(now);
  }
  players_.leave(*session, to_string(event.reason));
  std::erase_if(sessions_, [&](const auto& each) { return each.get() == session; });
}

void Sessions::check_join_timeout(ClientSession& session, core::Nanoseconds now) {
  if (session.state != State::joining) return check_hello_timeout(session, now);
  if (now - session.welcomed_at <= welcome_timeout) return;
  close(session, transport::ReasonCode::timed_out,
        {"join timeout", core::format("the Welcome was not acknowledged within {} s; large datagrams may not arrive",
                                      welcome_timeout / core::second)},
        now);
}

void Sessions::check_hello_timeout(ClientSession& session, core::Nanoseconds now) {
  if (session.state != State::greeting || now - session.connected_at <= hello_timeout) return;
  const core::Error silent{"no hello",
                           core::format("no Hello within {} s of connecting", hello_timeout / core::second)};
  if (!session.joined || !has_room_for_disconnected())
    return close(session, transport::ReasonCode::timed_out, silent, now);
  // A resumed session is disconnected again. Its grace period still counts from the first disconnect.
  refuse_connection(session.transport_id, endpoint_.address(session.transport_id), transport::ReasonCode::timed_out,
                    silent);
  session.disconnect(now);
}

void Sessions::remove_expired(core::Nanoseconds now) {
  std::erase_if(sessions_, [&](const std::unique_ptr<ClientSession>& session) {
    if (session->state != State::disconnected) return false;
    if (session->restored && session->disconnected_since == 0) session->disconnected_since = now;  // the first tick
    // No client can prove that such a player is its own.
    const bool unclaimable = session->restored && session->player.account.empty();
    if (session->joined && !unclaimable && now - session->disconnected_since < config_.rejoin_grace) return false;
    players_.leave(
        *session, unclaimable ? "restored without an account, so no client can claim it" : "did not reconnect in time");
    return true;
  });
}

// --- The end of sessions -------------------------------------------------------------------------------------------

void Sessions::refuse_connection(transport::SessionId id, const transport::Address& address, transport::ReasonCode code,
                                 const core::Error& error) {
  ++stats_.refusals[error.reason];
  core::log_warn("server", "closing {}: {}: {}", transport::to_string(address), error.reason, error.message);
  ending_connections_.emplace_back(id, transport::Reason{code, core::format("{}: {}", error.reason, error.message)});
}

void Sessions::close(ClientSession& session, transport::ReasonCode code, const core::Error& error,
                     core::Nanoseconds now) {
  if (session.state == State::closing) return;
  if (session.state == State::disconnected) {  // no connection to end: the session expires
    session.disconnected_since = now - config_.rejoin_grace;
    return;
  }
  session.state = State::closing;
  refuse_connection(session.transport_id, endpoint_.address(session.transport_id), code, error);
}

void Sessions::expel(ClientSession& session, const transport::Reason& reason, const char* counter) {
  if (session.state == State::closing) return;
  ++stats_.refusals[counter];
  if (session.state == State::disconnected) return players_.leave(session, to_string(reason));
  session.state = State::closing;
  ending_connections_.emplace_back(session.transport_id, reason);
}

void Sessions::expel_account(std::string_view account, const transport::Reason& reason, const char* counter) {
  for (const auto& session : sessions_)
    if (session->player.account == account) expel(*session, reason, counter);
}

core::Status Sessions::kick(std::uint32_t player, std::string_view reason) {
  ClientSession* const session = find_joined(player);
  if (session == nullptr)
    return core::Error{"no such player", core::format("no player or spectator has the id {}", player)};
  expel(*session, {transport::ReasonCode::kicked, std::string(reason)}, "kicked");
  return core::Done{};
}

void Sessions::finish_closing(std::string_view account) {
  if (account.empty()) return;
  for (const auto& session : sessions_)
    if (session->state == State::closing && session->player.account == account)
      players_.leave(*session, "disconnected by the server");
}

void Sessions::count_refusal(ClientSession& session, const core::Error& error, core::Nanoseconds now) {
  ++stats_.refusals[error.reason];
  const core::LogScope about(session.log_fields());
  core::log_warn("server", "refused from player {} \"{}\": {}: {}", session.player.id, session.player.name,
                 error.reason, error.message);
  if (!session.admit_refusal(now))
    close(session, transport::ReasonCode::kicked,
          {"too many refusals", core::format("more than {} in a second, the last: {}",
                                             ClientSession::refusals_per_second_max, error.message)},
          now);
}

void Sessions::end_connections(core::Nanoseconds now, transport::Output& output) {
  for (const auto& [id, reason] : ending_connections_) endpoint_.disconnect(id, reason, now, output);
  ending_connections_.clear();
}

void Sessions::leave_all(std::string_view why) {
  for (const auto& session : sessions_) players_.leave(*session, why);
}

// --- Saved worlds --------------------------------------------------------------------------------------------------

std::vector<KnownPlayer> Sessions::known_players() const {
  std::vector<KnownPlayer> known;
  for (const auto& session : sessions_)
    if (session->joined && !session->player.spectator) known.push_back(players_.known(*session));
  const std::vector<KnownPlayer> former = players_.former();
  known.insert(known.end(), former.begin(), former.end());
  return known;
}

void Sessions::restore_players(std::uint32_t next_player, const std::vector<KnownPlayer>& known) {
  players_.restore_next_id(next_player);
  for (const KnownPlayer& each : known) {
    if (!each.present) {
      players_.restore_former(each);
    } else if (players_.can_restore(each)) {
      ClientSession& session = *sessions_.emplace_back(std::make_unique<ClientSession>(transport::SessionId{}));
      players_.restore(session, each);
      session.state = State::disconnected;
    }
  }
}

}  // namespace mobula::server

#include <algorithm>
#include <mobula/core/assert.hpp>
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

}  // namespace

// --- Lookup --------------------------------------------------------------------------------------------------------

ClientSession* Sessions::find(transport::SessionId id) const {
  ClientSession* const session = index_.find(id);
  return session != nullptr && session->state != State::disconnected ? session : nullptr;
}

ClientSession* Sessions::find_joined(std::uint32_t player) const { return players_.find(player); }

ClientSession* Sessions::find_rejoining(std::uint32_t rejoin_number) const {
  ClientSession* const session = index_.find_rejoining(rejoin_number);
  return session != nullptr && session->joined && session->state != State::closing ? session : nullptr;
}

ClientSession* Sessions::find_same_account(const ClientSession& session) const {
  for (ClientSession* const each : index_.of_account(session.player.account))
    if (each != &session && each->joined && each->state != State::closing) return each;
  return nullptr;
}

bool Sessions::any_connected() const {
  return std::ranges::any_of(sessions_,
                             [](const auto& each) { return each->joined && each->state != State::disconnected; });
}

bool Sessions::counts_agree() const {
  const auto count = [&](auto&& holds) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sessions_, [&](const auto& session) { return holds(*session); }));
  };
  const auto in_game = [&](bool spectators) {
    return count(
        [=](const ClientSession& each) { return each.joined && !each.zone && each.player.spectator == spectators; });
  };
  return disconnected_ == count([](const ClientSession& each) { return each.state == State::disconnected; }) &&
         count([&](const ClientSession& each) { return each.joined && find_joined(each.player.id) != &each; }) == 0 &&
         players_.count(false) == in_game(false) && players_.count(true) == in_game(true);
}

// --- Connections ---------------------------------------------------------------------------------------------------

ClientSession& Sessions::add(const transport::ServerEvent& connected, std::string account, core::Nanoseconds now) {
  ClientSession& session = *sessions_.emplace_back(std::make_unique<ClientSession>(connected.session));
  session.connected_at = now;
  session.turns.last = now;
  session.player.identity = connected.identity;
  session.player.account = std::move(account);
  index_.add(session);
  return session;
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
  if (session.state == State::disconnected) --disconnected_;
  index_.resume(session, connected.session, now);
}

void Sessions::disconnect(ClientSession& session, core::Nanoseconds now) {
  session.disconnect(now);
  ++disconnected_;
}

void Sessions::on_disconnected(const transport::ServerEvent& event, core::Nanoseconds now) {
  ClientSession* const session = find(event.session);
  if (session == nullptr) return;
  const core::LogScope about(session->log_fields());
  // A closing session is not kept, even if its connection was lost before the server ended it.
  // In a zone the client of an account may return with a token of another zone.
  const bool has_token = session->rejoin_number != 0 || (config_.zone && !session->player.account.empty());
  const bool can_resume =
      session->joined && session->state != State::closing && has_token && has_room_for_disconnected();
  if (can_resume && may_resume(event.reason.code)) {
    core::log_info("server", "player {} \"{}\" lost its connection: {}", session->player.id, session->player.name,
                   to_string(event.reason));
    return disconnect(*session, now);
  }
  players_.leave(*session, to_string(event.reason));
  index_.remove(*session);
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
  if (session.state != State::greeting) return;
  const bool is_held = session.held_hello != nullptr;
  if (now - (is_held ? session.held_since : session.connected_at) <= hello_timeout) return;
  const core::Error silent =
      is_held
          ? core::Error{"player not arrived", core::format("the player has not arrived from another zone within {} s",
                                                           hello_timeout / core::second)}
          : core::Error{"no hello", core::format("no Hello within {} s of connecting", hello_timeout / core::second)};
  if (!session.joined || !has_room_for_disconnected())
    return close(session, transport::ReasonCode::timed_out, silent, now);
  // A resumed session is disconnected again. Its grace period still counts from the first disconnect.
  refuse_connection(session.transport_id, endpoint_.address(session.transport_id), transport::ReasonCode::timed_out,
                    silent);
  disconnect(session, now);
}

void Sessions::end_absent(core::Nanoseconds now) {
  for (const std::unique_ptr<ClientSession>& session : sessions_) {
    if (!session->is_absent() || session->state == State::closing) continue;
    const bool is_near = session->visiting && players_.sees_entity(*session);
    if (session->absent_until == 0 || is_near) session->absent_until = now + absent_time;
    if (now < session->absent_until) continue;
    session->state = State::closing;
    const bool was_sent = !session->departs_to.empty();
    ending_connections_.emplace_back(
        session->transport_id, was_sent ? transport::Reason{transport::ReasonCode::moved, session->departs_to}
                                        : transport::Reason{transport::ReasonCode::pipe_lost, "the player is absent"});
  }
}

void Sessions::remove_expired(core::Nanoseconds now) {
  end_absent(now);
  // A hook may throw, so all have left before the first is removed.
  for (const std::unique_ptr<ClientSession>& session : sessions_) {
    if (session->state != State::disconnected) continue;
    if (session->restored && session->disconnected_since == 0) session->disconnected_since = now;  // the first tick
    // No client can prove that such a player is its own.
    const bool unclaimable = session->restored && session->player.account.empty();
    if (!unclaimable && now - session->disconnected_since < config_.rejoin_grace) continue;
    players_.leave(
        *session, unclaimable ? "restored without an account, so no client can claim it" : "did not reconnect in time");
  }
  std::erase_if(sessions_, [&](const std::unique_ptr<ClientSession>& session) {
    if (session->state != State::disconnected || session->joined) return false;
    index_.remove(*session);
    --disconnected_;
    return true;
  });
  MOBULA_ASSERT(counts_agree(), "sessions and players are miscounted");
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
  for (ClientSession* const session : index_.of_account(account)) expel(*session, reason, counter);
}

core::Status Sessions::kick(std::uint32_t player, std::string_view reason) {
  ClientSession* const session = find_joined(player);
  if (session == nullptr)
    return core::Error{"no such player", core::format("no player or spectator has the id {}", player)};
  expel(*session, {transport::ReasonCode::kicked, std::string(reason)}, "kicked");
  return core::Done{};
}

void Sessions::finish_closing(std::string_view account) {
  for (ClientSession* const session : index_.of_account(account))
    if (session->state == State::closing) players_.leave(*session, "disconnected by the server");
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

void Sessions::release(ClientSession& session, std::string_view why) {
  players_.leave(session, why);
  if (session.state != State::disconnected) session.state = State::closing;
}

ClientSession* Sessions::find_follower(std::string_view account) const {
  for (ClientSession* const session : index_.of_account(account)) {
    const bool has_player = (session->joined && !session->player.spectator) || session->departing;
    if (has_player && session->can_depart() && session->departs_to.empty()) return session;
  }
  return nullptr;
}

ClientSession* Sessions::find_visitor(std::string_view account) const {
  for (ClientSession* const session : index_.of_account(account))
    if (session->visiting && (session->state == State::joining || session->state == State::playing)) return session;
  return nullptr;
}

void Sessions::send_follow(ClientSession& session, const wire::Follow& follow) {
  if (session.departing) session.departs_to = follow.world;
  transport::Session* const connection = endpoint_.find(session.transport_id);
  if (connection == nullptr || connection->send_reliable(wire::encode(follow))) return;
  expel(session, {transport::ReasonCode::moved, follow.world}, "player elsewhere");  // it has not read for long
}

void Sessions::end_released(std::string_view account, const transport::Reason& reason) {
  for (const ClientSession* const session : index_.of_account(account))
    if (session->state == State::closing) ending_connections_.emplace_back(session->transport_id, reason);
}

core::Status Sessions::take_in(KnownPlayer known, core::ByteView data, std::string_view world,
                               std::uint32_t first_command) {
  if (players_.count(false) >= config_.players_max || !has_room_for_disconnected())
    return core::Error{"world full", "the world has no room for another disconnected player"};
  ClientSession* const visitor = find_visitor(known.account);
  if (visitor != nullptr) known.id = visitor->player.id;  // the client knows it
  auto session = std::make_unique<ClientSession>(transport::SessionId{});
  session->commands = CommandBuffer({}, first_command);
  core::Status taken = players_.take_in(*session, known, data);
  if (visitor != nullptr) visitor->replication.viewer = nullptr;  // it is the player's, or removed
  const transport::Reason other_session{transport::ReasonCode::moved, std::string(world)};
  if (taken) expel_others(known.account, visitor, other_session);
  if (visitor != nullptr && (!taken || !let_in(*visitor, *session))) expel(*visitor, other_session, "replaced");
  const bool is_connected = visitor != nullptr && visitor->joined;
  if (!taken || is_connected) return taken;
  session->state = State::disconnected;
  ++disconnected_;
  index_.add(*session);
  sessions_.push_back(std::move(session));
  return core::Done{};
}

// All that do not wait for the player, or play as it.
void Sessions::expel_others(std::string_view account, const ClientSession* visitor, const transport::Reason& reason) {
  for (ClientSession* const each : index_.of_account(account)) {
    const bool waits = each->state == State::greeting && !each->joined;
    if (each != visitor && !waits) expel(*each, reason, "replaced");
  }
  finish_closing(account);
}

// The view goes on, with another viewer. Returns false if the game refuses the player.
bool Sessions::let_in(ClientSession& visitor, const ClientSession& arrived) {
  visitor.visiting = false;
  visitor.absent_until = 0;
  const std::uint32_t first = visitor.commands_continue ? arrived.commands.expected() : 1;
  visitor.commands = CommandBuffer(visitor.commands.stats(), first);
  visitor.replication.last_query = {};
  const core::Status joined = players_.join(visitor, &arrived);
  const core::LogScope about(visitor.log_fields());
  if (joined)
    core::log_info("server", "player {} \"{}\" has arrived, where it was seen", visitor.player.id, visitor.player.name);
  else
    core::log_warn("server", "the game refuses an arrived player: {}: {}", joined.error().reason,
                   joined.error().message);
  return joined.ok();
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
      session.commands = CommandBuffer({}, 0);  // a save has no number
      players_.restore(session, each);
      session.state = State::disconnected;
      ++disconnected_;
      index_.add(session);
    }
  }
}

}  // namespace mobula::server

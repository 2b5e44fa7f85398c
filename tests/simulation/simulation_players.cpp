// Players of the simulation: they join, send commands, receive events, disconnect and reconnect.
#include <algorithm>
#include <cstring>
#include <simulation/player.hpp>

namespace mobula::sim {

using client::Connection;

transport::ConnectToken Simulation::token_of(const Player& player) {
  transport::UserData account{};
  std::memcpy(account.data(), player.name.data(), player.name.size());
  return test::test_token({.client_id = ++tokens_,
                           .user_data = account,
                           .servers = {test::village_address},
                           .expire_seconds = token_seconds},
                          test::test_transport().private_key, date_at(now_));
}

void Simulation::enter(Player& player) {
  trace(player.name + " joins");
  client::ConnectionConfig config;
  config.name = player.name;
  config.transport.token = token_of(player);
  if (player.keeps_levels) config.resources = &*levels_;
  if (player.knows_schema) config.schema = schema_of(plan_);
  config.spectate = player.spectates;
  player.port.unread.clear();
  player.prediction.reset();
  player.rules.reset();
  player.drawer = {};
  player.connection = std::make_unique<Connection>(config, player.clock(now_));
  if (plan_.predicts && player.knows_schema) player.prediction.emplace(*player.connection, plan_.seed);
  if (plan_.has_rules && player.knows_schema) player.rules.emplace(*player.connection, plan_.seed + player.which);
  player.follower = {};
}

// Moves the player to a new address. Active faults of the address apply to the new one.
void Simulation::move(Player& player) {
  network_.heal(player.port.from);
  ++player.port.from.ip[14];
  apply_again([&](const Fault& fault) {
    using Kind = Fault::Kind;
    const bool is_of_address = fault.kind == Kind::cut || fault.kind == Kind::deaf || fault.kind == Kind::silent ||
                               fault.kind == Kind::narrow || fault.kind == Kind::full || fault.kind == Kind::slow;
    return is_of_address && players_[fault.who % players_.size()].get() == &player;
  });
}

void Simulation::enter_twice(Player& player) {
  if (player.connection == nullptr || player.connection->state() == Connection::State::closed) return;
  ++player.programs;
  player.prediction.reset();
  player.rules.reset();
  player.first.emplace(Player::First{player.port, std::move(player.connection)});
  move(player);
  enter(player);
}

// Runs the earlier program, which knows nothing of the other.
void Simulation::run_first(Player& player) {
  if (!player.first) return;
  player.first->port.read_into(*player.first->connection, player.clock(now_));
  player.first->connection->update(player.clock(now_), player.first->port);
  if (player.first->connection->state() == Connection::State::closed) player.first.reset();
}

// Closes the earlier program if second log-ins are refused: nothing else would end it.
void Simulation::end_first(Player& player) {
  network_.heal(player.first->port.from);
  if (plan_.refuses_second) player.first->connection->close(player.first->port);
}

void Simulation::reconnect(Player& player) {
  Connection& connection = *player.connection;
  const transport::ReasonCode code = connection.reason().code;
  if (code == transport::ReasonCode::protocol_error || code == transport::ReasonCode::flooding)
    return fail(player.name + " was disconnected: " + to_string(connection.reason()));
  if (!connection.can_rejoin() && !connection.can_reconnect()) return enter(player);
  // As programs do: a token without an answer may be of an earlier server, or expired.
  const bool unanswered = code == transport::ReasonCode::no_answer;
  if (connection.can_rejoin() && !unanswered) {
    trace(player.name + " reconnects");
    return connection.rejoin(player.clock(now_));
  }
  trace(player.name + " enters with a new token");
  connection.reconnect(token_of(player), player.clock(now_));
}

void Simulation::run_frame(Player& player) {
  if (player.connection != nullptr) player.port.read_into(*player.connection, player.clock(now_));
  act(player);
  run_first(player);
  if (player.connection == nullptr) return;
  player.connection->update(player.clock(now_), player.port);
  follow(player);
  read_events(player);
}

// Runs what is beside the connection.
void Simulation::follow(Player& player) {
  if (const auto wrong = player.follower.follow(*player.connection)) fail(player.name + ": " + *wrong);
  if (player.prediction)
    if (const auto wrong = player.prediction->follow(player.clock(now_))) fail(player.name + ": " + *wrong);
  if (player.rules)
    if (const auto wrong = player.rules->follow(player.clock(now_), steps_, number_of(player)))
      fail(player.name + ": " + *wrong);
  if (!plan_.rewinds) return;
  if (const std::optional<Drawer::Drawn> drawn = player.drawer.draw(*player.connection))
    views_.note(player.name, *drawn);
}

// Returns a command of the game, one for the rules, or garbage.
core::Bytes Simulation::any_command(Player& player) {
  if (player.random.chance(1, 8)) return core::Bytes(player.random.below(60), std::byte{0x11});
  if (!plan_.has_rules || player.random.chance(1, 2))
    return SimGame::move(player.random.uniform(0, 100), player.programs, ++player.commands);
  constexpr std::uint32_t plays_max = 1u << 17;  // limit for a player
  const std::uint32_t dice = player.random.below(8);
  const PlayKind kind = dice == 0 ? PlayKind::shove : dice < 4 ? PlayKind::throw_darts : PlayKind::kick;
  return play_command({kind, player.random.below(directions), player.which * plays_max + player.plays++});
}

void Simulation::act(Player& player) {
  const bool settles = outcome_.ticks >= plan_.ticks;
  if (player.connection == nullptr) {
    if (all_leave_) return;
    if (settles || player.random.chance(1, 20)) enter(player);
    return;
  }
  Connection& connection = *player.connection;
  if (connection.state() == Connection::State::closed) {
    if (settles || player.random.chance(1, 5)) reconnect(player);
    return;
  }
  if (settles) return;
  if (!player.spectates && player.random.chance(1, 4)) connection.set_command(any_command(player));
  if (player.random.chance(1, 500)) {
    const bool says_so = player.random.chance(1, 2);
    trace(player.name + (says_so ? " leaves" : " vanishes"));
    if (says_so) connection.close(player.port);
    player.prediction.reset();
    player.rules.reset();
    player.connection.reset();
  }
}

const server::ClientSession* Simulation::session_of(const Player& player) const { return session_at(player.port.from); }

// Returns null if the server has no session for the address, or awaits its client.
const server::ClientSession* Simulation::session_at(const transport::Address& address) const {
  for (const auto& session : server_->sessions())
    if (session->joined && server_->connection(*session) != nullptr &&
        server_->endpoint().address(session->transport_id) == address)
      return session.get();
  return nullptr;
}

// Returns 0 if it does not play, or if its server has ended, which it notices only by a timeout.
std::uint32_t Simulation::number_of(const Player& player) const { return number_of(player, session_of(player)); }

std::uint32_t Simulation::number_of(const Player& player, const server::ClientSession* session) {
  if (player.connection == nullptr || player.connection->state() != Connection::State::playing) return 0;
  return session == nullptr ? 0 : session->player.id;
}

void Simulation::watch_session(Player& player, const server::ClientSession* session) {
  const transport::SessionId now = session == nullptr ? transport::SessionId{} : session->transport_id;
  const bool goes_on = session != nullptr && session->state == server::ClientSession::State::playing;
  if (player.session != now) player.entity_at = 0;
  if (std::exchange(player.session, now) != now || !goes_on) player.playing_since = server_->world().tick();
}

void Simulation::read_events(Player& player) {
  for (const client::ReceivedEvent& received : player.connection->events()) check_event(player, received);
}

// Checks that the player may receive the event, and gets it at most once.
void Simulation::check_event(Player& player, const client::ReceivedEvent& received) {
  using For = SimGame::Event::For;
  if (received.bytes.size() != sizeof(SimGame::Event)) return fail(player.name + " received an event of unknown size");
  const auto event = core::load<SimGame::Event>(received.bytes.data());
  const std::string what = "event " + std::to_string(event.number);
  if (const client::Mirror* mirror = player.connection->mirror(); mirror == nullptr || received.tick > mirror->tick())
    return fail(player.name + " received " + what + " before its mirror reached the tick");
  const bool has_subject = received.about && player.connection->mirror()->tick_of(received.about) != 0;
  if (received.about && has_subject != (received.presence == client::Presence::in_view))
    return fail(player.name + " received " + what + " with a wrong presence of entity " + to_string(received.about));
  if (received.tick != event.tick) return fail(player.name + " received " + what + " with a wrong tick");
  const std::uint32_t number = number_of(player);
  const bool knows = number != 0 && event.run == outcome_.restarts;
  if (knows && event.whom == For::one && event.player != number)
    return fail(player.name + " received " + what + ", which is for player " + std::to_string(event.player));
  if (knows && event.whom == For::seers && !oracle_.may_receive(number, received.about, event.tick))
    return fail(player.name + " received " + what + " about entity " + to_string(received.about) +
                ", which it may not see");
  if (event.reliable != 0 && event.whom != For::seers) return check_event_order(player, event);
  if (!player.other_events.emplace(event.run, event.number).second) fail(player.name + " received " + what + " twice");
}

// Checks that no event is missing while the session lasts.
void Simulation::check_event_order(Player& player, const SimGame::Event& event) {
  const SimGame::Event last = std::exchange(player.last_events[event.whom == SimGame::Event::For::all ? 0 : 1], event);
  const bool is_next = event.run == last.run && event.number == last.number + 1;
  const bool is_later = event.run > last.run || (event.run == last.run && event.number > last.number);
  const bool is_other = event.player != last.player;  // the account left and joined as another player
  const bool may_lack = event.run != outcome_.restarts || event.before <= player.playing_since;
  if (!is_next && !((is_later || is_other) && may_lack))
    fail(player.name + " received event " + std::to_string(event.number) + " after event " +
         std::to_string(last.number));
}

}  // namespace mobula::sim

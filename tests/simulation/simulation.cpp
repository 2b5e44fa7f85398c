#include <algorithm>
#include <cstring>
#include <mobula/core/hash.hpp>
#include <set>
#include <simulation/ports.hpp>

namespace mobula::sim {
namespace {

using client::Connection;
using test::village_address;

constexpr core::Nanoseconds tick_length = test::Village::tick_length;
constexpr std::uint32_t settle_ticks_max = 2000;  // after the last fault: then everything is right, or never will be
constexpr std::uint32_t quiet_ticks = 20;
constexpr std::size_t unread_max = 4096;              // datagrams, as a socket has room for
constexpr std::uint32_t orders = 15;                  // that are given at last
constexpr std::uint32_t rounds = 12;                  // of all leaving and coming again
constexpr std::int64_t bytes_growth_max = 64 * 1024;  // meanwhile: the table of used tokens may double
constexpr transport::NetworkConditions good_network{.latency = 10 * core::millisecond};

}  // namespace

// Keeps its address, its account and its chances, whoever else there is: what happens to one changes nothing for
// others.
struct Simulation::Player {
  Player(Simulation& sim, std::uint32_t which)
      : name("player " + std::to_string(which)),
        random(sim.plan_.seed * 1000 + which + 1),
        port(sim, transport::Address::v4(10, 1, 0, static_cast<std::uint8_t>(which + 1), 5000)) {}
  [[nodiscard]] core::Nanoseconds clock(core::Nanoseconds now) const { return now + ahead; }

  std::string name;
  core::Random random;
  ClientPort port;
  std::unique_ptr<Connection> connection;  // null: has not come yet, or has left
  core::Nanoseconds ahead = 0;             // of everybody else's clock
  core::Nanoseconds drift = 0;             // in a second
  std::uint32_t commands = 0;              // so many it has given
  bool mute = false;
  bool keeps_levels = false;
  bool knows_schema = false;
  // The last reliable event that it was told; and all others.
  SimGame::Event last_event;
  transport::SessionId session{};  // the server's, when it was last looked at
  ecs::Tick playing_since = 0;     // this server, without a break: of what was told before, it may lack something
  std::set<std::pair<std::uint32_t, std::uint32_t>> events;
};

Simulation::Simulation(Plan plan, Trace trace, std::string folder)
    : plan_(std::move(plan)),
      trace_(std::move(trace)),
      network_(plan_.seed, plan_.network),
      folder_(std::move(folder)),
      disk_(plan_.seed),
      server_port_(std::make_unique<ServerPort>(*this)),
      oracle_(test::UpheavalGame(plan_.seed).layers()),
      census_(rejoin_grace) {
  if (plan_.keeps_levels) levels_.emplace(std::move(*client::ResourceStore::open(folder_ + "/levels")));
  for (std::uint32_t i = 0; i < plan_.players; ++i) {
    players_.push_back(std::make_unique<Player>(*this, i));
    players_.back()->knows_schema = i % 4 == 1;
    players_.back()->keeps_levels = plan_.keeps_levels && players_.back()->random.chance(1, 2);
  }
  for (std::uint32_t i = 0; i < plan_.liars; ++i) liars_.emplace_back(plan_.seed * 55 + i, i);
  for (std::uint32_t i = 0; i < plan_.hostiles; ++i)
    hostiles_.emplace_back(plan_.seed * 77 + i,
                           transport::Address::v4(10, 9, 0, static_cast<std::uint8_t>(i + 1), 6000));
}

Simulation::~Simulation() = default;

// What goes wrong ----------------------------------------------------------------------------------

void Simulation::begin_faults() {
  bool any_ended = false;
  for (const Fault& fault : plan_.faults) {
    if (fault.at + fault.ticks != outcome_.ticks) continue;
    end(fault);
    any_ended = true;
  }
  // What goes on may have ended with it.
  for (std::size_t i = 0; any_ended && i < next_fault_; ++i)
    if (plan_.faults[i].at + plan_.faults[i].ticks > outcome_.ticks) apply(plan_.faults[i]);
  for (; next_fault_ < plan_.faults.size() && plan_.faults[next_fault_].at <= outcome_.ticks && outcome_.wrong.empty();
       ++next_fault_)
    begin(plan_.faults[next_fault_]);
}

void Simulation::begin(const Fault& fault) {
  tell(to_string(fault));
  apply(fault);
}

// What lasts may be applied again.
void Simulation::apply(const Fault& fault) {
  Player& player = *players_[fault.who % players_.size()];
  const transport::Address& address = player.port.from;
  using Kind = Fault::Kind;
  using Way = transport::SimulatedNetwork::Way;
  switch (fault.kind) {
    case Kind::network: return network_.set_conditions(fault.network);
    case Kind::cut: return network_.cut(address);
    case Kind::deaf: return network_.cut(address, Way::to);
    case Kind::silent: return network_.cut(address, Way::from);
    case Kind::mute: player.mute = true; return;
    case Kind::clock_jump: player.ahead += fault.by; return;
    case Kind::clock_drift: player.drift = fault.by; return;
    case Kind::broken:
      if (player.connection != nullptr) player.connection->pipe_closed("broken", player.clock(now_));
      if (fault.at % 2 == 0) server_->pipe_closed(address, now_);
      return;
    case Kind::full: server_port_->full = address; return;
    case Kind::slow: server_port_->slow = address; return;
    case Kind::stall: stalled_ = true; return;
    case Kind::date:
      server_->set_unix_time(
          static_cast<std::uint64_t>(static_cast<std::int64_t>(test::test_unix_time) + fault.by / core::second));
      return;
    case Kind::reload:
      if (!plan_.has_level) return;
      rebuilt_ = !rebuilt_;
      if (const auto changed = server_->reload_level(rebuilt_ ? test::rebuilt_hamlet() : test::hamlet()); !changed)
        find("the level cannot be loaded again: " + changed.error().message);
      return;
    case Kind::disk_full: return disk_.set_trouble(SimulatedDisk::Trouble::full);
    case Kind::disk_errors: return disk_.set_trouble(SimulatedDisk::Trouble::errors);
    case Kind::no_memory: return disk_.set_trouble(SimulatedDisk::Trouble::memory);
    case Kind::crash: disk_.lose_power_after(fault.operations); return revive();
    case Kind::stop:
      end_server(true);
      if (!disk_.has_power()) disk_.restore_power();
      begin_server();
      return;
  }
}

void Simulation::end(const Fault& fault) {
  Player& player = *players_[fault.who % players_.size()];
  switch (fault.kind) {
    case Fault::Kind::network: return network_.set_conditions(plan_.network);
    case Fault::Kind::cut:
    case Fault::Kind::deaf:
    case Fault::Kind::silent: return network_.heal(player.port.from);
    case Fault::Kind::mute: player.mute = false; return;
    case Fault::Kind::clock_drift: player.drift = 0; return;
    case Fault::Kind::full: server_port_->full = {}; return;
    case Fault::Kind::slow: server_port_->slow = {}; return;
    case Fault::Kind::stall: stalled_ = false; return;
    case Fault::Kind::date: server_->set_unix_time(test::test_unix_time); return;
    case Fault::Kind::disk_full:
    case Fault::Kind::disk_errors:
    case Fault::Kind::no_memory: return disk_.set_trouble(SimulatedDisk::Trouble::none);
    default: return;
  }
}

// Who plays ----------------------------------------------------------------------------------------

transport::ConnectToken Simulation::token_of(const Player& player) {
  transport::UserData account{};
  std::memcpy(account.data(), player.name.data(), player.name.size());
  return test::test_token(++tokens_, account);
}

void Simulation::enter(Player& player) {
  tell(player.name + " comes");
  client::ConnectionConfig config;
  config.name = player.name;
  config.transport.token = token_of(player);
  if (player.keeps_levels) config.resources = &*levels_;
  if (player.knows_schema) config.schema = test::game_schema();
  player.connection = std::make_unique<Connection>(config, player.clock(now_));
}

void Simulation::come_back(Player& player) {
  Connection& connection = *player.connection;
  if (connection.reason().code == transport::ReasonCode::protocol_error)
    return find(player.name + " was sent away: " + to_string(connection.reason()));
  if (!connection.can_rejoin() && !connection.lost()) return enter(player);
  if (connection.can_rejoin()) {
    tell(player.name + " comes back");
    return connection.rejoin(player.clock(now_));
  }
  tell(player.name + " enters again");
  connection.enter_again(token_of(player), player.clock(now_));
}

void Simulation::act(Player& player) {
  const bool settles = outcome_.ticks >= plan_.ticks;
  if (player.connection == nullptr) {
    if (away_) return;
    if (settles || player.random.chance(1, 20)) enter(player);
    return;
  }
  Connection& connection = *player.connection;
  if (connection.state() == Connection::State::closed) {
    if (settles || player.random.chance(1, 5)) come_back(player);
    return;
  }
  if (settles) return;
  if (player.random.chance(1, 4))
    connection.set_command(player.random.chance(1, 8)
                               ? core::Bytes(player.random.below(60), std::byte{0x11})
                               : SimGame::move(player.random.uniform(0, 100), ++player.commands));
  if (player.random.chance(1, 500)) {
    const bool says_so = player.random.chance(1, 2);
    tell(player.name + (says_so ? " leaves" : " is gone without a word"));
    if (says_so) connection.close(player.port);
    player.connection.reset();
  }
}

// Null: the server knows nothing of it, or waits for it.
const server::Session* Simulation::session_of(const Player& player) const {
  for (const auto& session : server_->sessions())
    if (session->joined && server_->lanes(*session) != nullptr &&
        server_->endpoint().address(session->transport_id) == player.port.from)
      return session.get();
  return nullptr;
}

// 0: it does not play, or with a server that is no more, of whose end it has only heard silence.
std::uint32_t Simulation::number_of(const Player& player) const {
  if (player.connection == nullptr || player.connection->state() != Connection::State::playing) return 0;
  const server::Session* session = session_of(player);
  return session == nullptr ? 0 : session->player.id;
}

void Simulation::watch_session(Player& player) {
  const server::Session* session = session_of(player);
  const transport::SessionId now = session == nullptr ? transport::SessionId{} : session->transport_id;
  const bool goes_on = session != nullptr && session->state == server::Session::State::playing;
  if (std::exchange(player.session, now) != now || !goes_on) player.playing_since = server_->world().tick();
}

// Ticks --------------------------------------------------------------------------------------------

void Simulation::tick() {
  begin_faults();
  if (!outcome_.wrong.empty()) return;
  if (!stalled_)
    for (const auto& [from, datagram] : std::exchange(unread_, {})) take_at_server(from, datagram);
  network_.deliver(now_, [&](const auto& from, const auto& to, core::ByteView datagram) { take(from, to, datagram); });
  for (const auto& player : players_) {
    player->ahead += player->drift * tick_length / core::second;
    if (player->mute) continue;
    act(*player);
    if (player->connection == nullptr) continue;
    player->connection->update(player->clock(now_), player->port);
    hear(*player);
  }
  for (Hostile& hostile : hostiles_)
    hostile.act([&](const transport::Address& from, core::ByteView datagram) {
      network_.send(from, village_address, datagram, now_);
    });
  for (Liar& liar : liars_) {
    ClientPort port(*this, liar.address());
    liar.act(now_, port);
    if (liar.got_in_wrongly()) find("a token that is no good was taken");
  }
  if (stalled_) {
    well_since_ = outcome_.ticks;
  } else {
    tick_server();
  }
  now_ += tick_length;
  ++outcome_.ticks;
  revive();
}

template <class Work>
void Simulation::count_memory(Work&& work) {
  ecs::test::CountedBytes counted;
  counted_ = &counted;
  work();
  counted_ = nullptr;
  server_bytes_ += counted.held();
}

void Simulation::tick_server() {
  const bool was_ready = store_->ready();
  census_.begin_tick(now_);
  count_memory([&] { server_->tick(now_, *server_port_); });
  watch_store(was_ready);
  look();
}

void Simulation::take(const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
  if (to == village_address && !stalled_) return take_at_server(from, datagram);
  if (to == village_address) {
    if (unread_.size() < unread_max) unread_.emplace_back(from, core::Bytes(datagram.begin(), datagram.end()));
    return;
  }
  for (const auto& player : players_)
    if (player->port.from == to && player->connection != nullptr && !player->mute)
      player->connection->receive(from, datagram, player->clock(now_));
  for (Liar& liar : liars_)
    if (liar.address() == to) liar.receive(from, datagram, now_);
}

void Simulation::take_at_server(const transport::Address& from, core::ByteView datagram) {
  count_memory([&] { server_->receive(from, datagram, now_, *server_port_); });
}

// Reliable events come in order, and none is missing that was told while the connection lasts; others come once at
// most.
void Simulation::hear(Player& player) {
  for (const client::ReceivedEvent& received : player.connection->events()) {
    if (received.bytes.size() != sizeof(SimGame::Event))
      return find(player.name + " was told an event that nobody sent");
    const auto event = core::load<SimGame::Event>(received.bytes.data());
    const std::string what = "event " + std::to_string(event.number);
    if (!event.reliable && !player.events.emplace(event.run, event.number).second)
      return find(player.name + " was told " + what + " twice");
    if (!event.reliable) continue;
    const SimGame::Event last = std::exchange(player.last_event, event);
    const bool is_next = event.run == last.run && event.number == last.number + 1;
    const bool is_later = event.run > last.run || (event.run == last.run && event.number > last.number);
    const bool may_lack = event.run != outcome_.restarts || event.before <= player.playing_since;
    if (!is_next && !(is_later && may_lack))
      return find(player.name + " was told " + what + " after event " + std::to_string(last.number));
  }
}

void Simulation::look() {
  if (const auto wrong = oracle_.look_at(*server_)) return find(*wrong);
  if (const auto wrong = census_.look_at(*server_)) return find(*wrong);
  for (const auto& player : players_) {
    watch_session(*player);
    const std::uint32_t number = number_of(*player);
    if (number == 0) continue;
    if (const auto wrong = oracle_.look_at(*player->connection, number)) return find(player->name + ": " + *wrong);
    if (outcome_.ticks % 16 == 0) player->connection->session().check();
  }
  for (const auto& session : server_->sessions()) {
    if (server_->lanes(*session) == nullptr) continue;
    const transport::Address& address = server_->endpoint().address(session->transport_id);
    const bool is_players = std::ranges::any_of(players_, [&](const auto& e) { return e->port.from == address; });
    if (!is_players && !Liar::is_liars(address)) find(to_string(address) + " has got a session");
    if (outcome_.ticks % 16 == 0) server_->lanes(*session)->check();
  }
  if (server_->stats().client_bytes.max() > std::max<std::uint64_t>(plan_.delta_bytes, wire::delta_bytes_max))
    find("a client was told more than its budget");
  if (outcome_.ticks % 64 == 0) {
    server_->published().check();
    server_->world().registry().check();
    server_->endpoint().check();
  }
  fold(server_->published().hash());
}

void Simulation::fold(std::uint64_t number) { outcome_.hash = core::hash64(core::as_bytes(&number, 1), outcome_.hash); }

bool Simulation::is_quiet() {
  return std::ranges::all_of(
      players_, [&](const auto& player) { return number_of(*player) != 0 && player->connection->complete(); });
}

// Nothing goes wrong any more, and the world holds still.
void Simulation::settle() {
  tell("from now on nothing goes wrong");
  network_.set_conditions(good_network);
  disk_.mend();
  server_port_->full = server_port_->slow = {};
  server_->set_unix_time(test::test_unix_time);
  stalled_ = false;
  hostiles_.clear();
  liars_.clear();
  plan_.faults.clear();
  next_fault_ = 0;
  game_->changes_max = 0;
  for (const auto& player : players_) {
    network_.heal(player->port.from);
    player->mute = false;
    player->drift = 0;
  }
  const std::uint32_t begun = outcome_.ticks;
  for (std::uint32_t quiet = 0; quiet < quiet_ticks && outcome_.wrong.empty();) {
    if (outcome_.ticks - begun > settle_ticks_max)
      return find("not everybody has what is there, however long it is quiet");
    tick();
    const bool stands_still = server_ != nullptr && server_->published().last_change() + 1 < server_->world().tick();
    quiet = stands_still && is_quiet() ? quiet + 1 : 0;  // a liar may still be waited for, and then leave
  }
  for (const auto& player : players_) {
    if (!outcome_.wrong.empty()) return;
    if (const auto wrong = oracle_.look_at_last(*server_, *player->connection, number_of(*player)))
      find(player->name + ", at last: " + *wrong);
    if (game_->last_reliable() > player->playing_since && player->last_event.number != game_->reliable_events())
      find(player->name + " was told of event " + std::to_string(player->last_event.number) + " at last, the game of " +
           std::to_string(game_->reliable_events()));
  }
}

// Whether everybody's are carried out, to the last: nothing waits after it.
bool Simulation::are_orders_carried_out() {
  std::vector<std::uint32_t> before;
  for (const auto& player : players_) before.push_back(census_.carried(player->name).count);
  for (std::uint32_t i = 0; i < 2 * orders && outcome_.wrong.empty(); ++i) {
    for (const auto& player : players_)
      if (i < orders) player->connection->set_command(SimGame::move(SimGame::no_move, ++player->commands));
    tick();
  }
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const Census::Carried& now = census_.carried(players_[i]->name);
    if (now.count - before[i] < orders || now.last != players_[i]->commands) return false;
  }
  return true;
}

// Clocks may have to forget first what the network was like: only then they aim well.
void Simulation::give_orders() {
  const std::uint32_t begun = outcome_.ticks;
  while (!are_orders_carried_out() && outcome_.wrong.empty())
    if (outcome_.ticks - begun > settle_ticks_max) find("commands are lost, however long it is quiet");
  if (outcome_.wrong.empty() && !are_orders_carried_out()) find("a command was lost while nothing went wrong");
}

// Everybody leaves in good order, comes again and has what is there.
void Simulation::come_and_go() {
  away_ = true;
  for (const auto& player : players_) {
    player->connection->close(player->port);
    player->connection.reset();
  }
  for (std::uint32_t i = 0; !server_->sessions().empty() && outcome_.wrong.empty(); ++i) {
    tick();
    if (i > settle_ticks_max) find("who has left is still there");
  }
  away_ = false;
}

void Simulation::watch_memory() {
  tell("everybody comes and goes");
  std::int64_t first = 0;
  for (std::uint32_t round = 0; round < rounds && outcome_.wrong.empty(); ++round) {
    come_and_go();
    const std::int64_t bytes = server_bytes_;
    if (round == rounds / 2) first = bytes;
    tell("nobody is there: " + std::to_string(bytes) + " bytes");
    if (round > rounds / 2 && bytes > first + bytes_growth_max)
      find("with nobody there the server has " + std::to_string(bytes - first) + " bytes more than " +
           std::to_string(round - rounds / 2) + " rounds before");
    for (std::uint32_t i = 0; !is_quiet() && outcome_.wrong.empty(); ++i) {
      tick();
      if (i > settle_ticks_max) find("who comes does not get what is there");
    }
  }
}

Outcome Simulation::run() {
  begin_server();
  while (outcome_.ticks < plan_.ticks && outcome_.wrong.empty()) tick();
  if (outcome_.wrong.empty()) settle();
  if (outcome_.wrong.empty()) give_orders();
  if (outcome_.wrong.empty() && plan_.watches_memory) watch_memory();
  for (const auto& player : players_)
    if (player->connection != nullptr) outcome_.rejoins += player->connection->stats().rejoins;
  fold(network_.counters().delivered);
  fold(oracle_.compared());
  outcome_.compared = oracle_.compared();
  return outcome_;
}

}  // namespace mobula::sim

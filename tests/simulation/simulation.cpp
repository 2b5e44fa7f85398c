#include <algorithm>
#include <chrono>
#include <cstring>
#include <mobula/core/hash.hpp>
#include <server/hamlet.hpp>
#include <simulation/simulation.hpp>
#include <thread>

namespace mobula::sim {
namespace {

using client::Connection;
using test::village_address;

constexpr core::Nanoseconds tick_length = test::Village::tick_length;
constexpr std::uint32_t settle_ticks_max = 2000;  // after the last fault: then everything is right, or never will be
constexpr std::uint32_t quiet_ticks = 20;
constexpr transport::NetworkConditions good_network{.latency = 10 * core::millisecond};

}  // namespace

struct Simulation::ServerPort final : transport::Output {
  explicit ServerPort(Simulation& owner) : sim(owner) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    sim.network_.send(village_address, to, datagram, sim.now_);
  }
  [[nodiscard]] bool ready(const transport::Address& to) const override { return to != full; }

  Simulation& sim;
  transport::Address full{};
};

struct Simulation::PlayerPort final : transport::Output {
  PlayerPort(Simulation& owner, const transport::Address& address) : sim(owner), from(address) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    for (Hostile& hostile : sim.hostiles_) hostile.overhear(from, datagram);
    sim.network_.send(from, to, datagram, sim.now_);
  }

  Simulation& sim;
  transport::Address from;
};

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
  PlayerPort port;
  std::unique_ptr<Connection> connection;  // null: has not come yet, or has left
  core::Nanoseconds ahead = 0;             // of everybody else's clock
  core::Nanoseconds drift = 0;             // in a second
  bool mute = false;
};

Simulation::Simulation(Plan plan, Trace trace)
    : plan_(std::move(plan)),
      trace_(std::move(trace)),
      network_(plan_.seed, plan_.network),
      server_port_(std::make_unique<ServerPort>(*this)),
      oracle_(SimGame(plan_, 0).layers()) {
  core::Result<client::TemporaryFolder> folder = client::TemporaryFolder::make();
  MOBULA_ASSERT(folder.ok(), "there is a place for the world's file");
  folder_ = std::make_unique<client::TemporaryFolder>(std::move(*folder));
  for (std::uint32_t i = 0; i < plan_.players; ++i) players_.push_back(std::make_unique<Player>(*this, i));
  for (std::uint32_t i = 0; i < plan_.hostiles; ++i)
    hostiles_.emplace_back(plan_.seed * 77 + i,
                           transport::Address::v4(10, 9, 0, static_cast<std::uint8_t>(i + 1), 6000));
}

Simulation::~Simulation() = default;

// The server's lives -------------------------------------------------------------------------------

void Simulation::begin_server() {
  auto opened = store::Store::open(
      {.path = folder_->path() + "/world.db", .schema = test::game_schema(), .finish_patience = core::second});
  if (!opened) return find("the store does not open: " + opened.error().message);
  store_ = std::move(*opened);
  const bool restored = store_->has_world();
  const ecs::Tick saved_tick = restored ? store_->saved_facts().tick : 0;
  game_ = std::make_unique<SimGame>(plan_, outcome_.restarts);
  server::ServerConfig config;
  config.level = plan_.has_level ? (rebuilt_ ? test::rebuilt_hamlet() : test::hamlet()) : nullptr;
  config.seed = plan_.seed;
  config.history_bytes = plan_.history_bytes;
  config.delta_bytes_per_tick_max = plan_.delta_bytes;
  config.rejoin_grace = 8 * core::second;
  config.checkpoint_ticks = plan_.checkpoint_ticks;
  config.index_limit = plan_.index_limit;
  config.store = store_.get();
  const std::uint32_t sessions_max = config.transport.sessions_max;
  config.transport = test::test_transport();
  config.transport.sessions_max = sessions_max;
  core::store(config.transport.challenge_key.data(), config.seed * 1000 + outcome_.restarts);
  config.token_servers = config.transport.public_addresses;
  core::store(config.secret.data(), plan_.seed * 1000 + outcome_.restarts);
  auto started = server::Server::start(std::move(config), *game_);
  if (!started) return find("the server does not start: " + started.error().message);
  server_ = std::move(*started);
  server_->set_unix_time(test::test_unix_time);
  tell((restored ? "the server begins with the world of tick " : "the server begins: tick ") +
       std::to_string(saved_tick));
  if (restored && !saved_) find("a world was restored that nobody saved");
  if (!restored && saved_) find("the saved world is gone");
  if (restored && saved_) {
    const auto& [tick, state] = *saved_;
    if (tick != saved_tick)
      find("restored as of tick " + std::to_string(saved_tick) + ", the last checkpoint was of " +
           std::to_string(tick));
    const bool same_level = server_->world().level_version() == 0;
    if (same_level && state != Oracle::state_of(*server_))
      find("the restored world is not that of the last checkpoint");
  }
  oracle_.begin(*server_);
}

void Simulation::end_server(bool in_good_order) {
  tell(in_good_order ? "the server stops" : "the server is killed");
  if (in_good_order) {
    if (const core::Status saved = server_->finish_store(); !saved)
      find("the last save failed: " + saved.error().message);
    saved_ = {store_->status().tick, Oracle::state_of(*server_)};
    server_->shut_down(now_, *server_port_);
  }
  server_.reset();
  game_.reset();
  store_.reset();
  ++outcome_.restarts;
}

// What it takes is no part of the simulation.
void Simulation::wait_for_writer() {
  while (!store_->ready()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  const ecs::Tick last = server_->world().tick() - 1;
  if (store_->status().tick == last) saved_ = {last, Oracle::state_of(*server_)};
}

// What goes wrong ----------------------------------------------------------------------------------

void Simulation::begin_faults() {
  for (const Fault& fault : plan_.faults)
    if (fault.at + fault.ticks == outcome_.ticks) end(fault);
  for (; next_fault_ < plan_.faults.size() && plan_.faults[next_fault_].at <= outcome_.ticks; ++next_fault_)
    begin(plan_.faults[next_fault_]);
}

void Simulation::begin(const Fault& fault) {
  tell(to_string(fault));
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
    case Kind::clock_drift: player.drift += fault.by; return;
    case Kind::broken:
      if (player.connection != nullptr) player.connection->pipe_closed("broken", player.clock(now_));
      if (fault.at % 2 == 0) server_->pipe_closed(address, now_);
      return;
    case Kind::full: server_port_->full = address; return;
    case Kind::reload:
      if (!plan_.has_level) return;
      rebuilt_ = !rebuilt_;
      if (const auto changed = server_->reload_level(rebuilt_ ? test::rebuilt_hamlet() : test::hamlet()); !changed)
        find("the level cannot be loaded again: " + changed.error().message);
      return;
    case Kind::crash:
    case Kind::stop:
      end_server(fault.kind == Kind::stop);
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
    case Fault::Kind::clock_drift: player.drift -= fault.by; return;
    case Fault::Kind::full: server_port_->full = {}; return;
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
  player.connection = std::make_unique<Connection>(config, player.clock(now_));
}

void Simulation::come_back(Player& player) {
  Connection& connection = *player.connection;
  if (connection.reason().code == transport::ReasonCode::protocol_error)
    return find(player.name + " was sent away: " + to_string(connection.reason()));
  if (connection.can_rejoin()) {
    tell(player.name + " comes back");
    return connection.rejoin(player.clock(now_));
  }
  if (!connection.lost()) return enter(player);
  tell(player.name + " enters again");
  connection.enter_again(token_of(player), player.clock(now_));
}

void Simulation::act(Player& player) {
  const bool settles = outcome_.ticks >= plan_.ticks;
  if (player.connection == nullptr) {
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
    connection.set_command(player.random.chance(1, 8) ? core::Bytes(player.random.below(60), std::byte{0x11})
                                                      : test::move_command(player.random.uniform(0, 100), 0));
  if (player.random.chance(1, 500)) {
    const bool says_so = player.random.chance(1, 2);
    tell(player.name + (says_so ? " leaves" : " is gone without a word"));
    if (says_so) connection.close(player.port);
    player.connection.reset();
  }
}

// 0: it does not play, or with a server that is no more, of whose end it has only heard silence.
std::uint32_t Simulation::number_of(const Player& player) const {
  if (player.connection == nullptr || player.connection->state() != Connection::State::playing) return 0;
  for (const auto& session : server_->sessions())
    if (session->joined && server_->lanes(*session) != nullptr &&
        server_->endpoint().address(session->transport_id) == player.port.from)
      return session->player.id;
  return 0;
}

// Ticks --------------------------------------------------------------------------------------------

void Simulation::tick() {
  begin_faults();
  if (!outcome_.wrong.empty()) return;
  network_.deliver(now_, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
    if (to == village_address) return server_->receive(from, datagram, now_, *server_port_);
    for (const auto& player : players_)
      if (player->port.from == to && player->connection != nullptr && !player->mute)
        player->connection->receive(from, datagram, player->clock(now_));
  });
  for (const auto& player : players_) {
    player->ahead += player->drift * tick_length / core::second;
    if (player->mute) continue;
    act(*player);
    if (player->connection != nullptr) player->connection->update(player->clock(now_), player->port);
  }
  for (Hostile& hostile : hostiles_)
    hostile.act([&](const transport::Address& from, core::ByteView datagram) {
      network_.send(from, village_address, datagram, now_);
    });
  server_->tick(now_, *server_port_);
  wait_for_writer();
  look();
  now_ += tick_length;
  ++outcome_.ticks;
}

void Simulation::look() {
  if (const auto wrong = oracle_.look_at(*server_)) return find(*wrong);
  for (const auto& player : players_) {
    const std::uint32_t number = number_of(*player);
    if (number == 0) continue;
    if (const auto wrong = oracle_.look_at(*player->connection, number)) return find(player->name + ": " + *wrong);
  }
  if (server_->endpoint().sessions().size() > plan_.players) find("there are more sessions than clients");
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
  server_port_->full = {};
  hostiles_.clear();
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
    quiet = is_quiet() ? quiet + 1 : 0;
  }
  for (const auto& player : players_) {
    if (!outcome_.wrong.empty()) return;
    if (const auto wrong = oracle_.look_at_last(*server_, *player->connection, number_of(*player)))
      find(player->name + ", at last: " + *wrong);
  }
}

Outcome Simulation::run() {
  begin_server();
  while (outcome_.ticks < plan_.ticks && outcome_.wrong.empty()) tick();
  if (outcome_.wrong.empty()) settle();
  for (const auto& player : players_)
    if (player->connection != nullptr) outcome_.rejoins += player->connection->stats().rejoins;
  fold(network_.counters().delivered);
  fold(oracle_.compared());
  outcome_.compared = oracle_.compared();
  return outcome_;
}

}  // namespace mobula::sim

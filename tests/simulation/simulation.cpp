#include <algorithm>
#include <mobula/core/hash.hpp>
#include <simulation/chance.hpp>
#include <simulation/player.hpp>

namespace mobula::sim {
namespace {

using test::village_address;

constexpr core::Nanoseconds tick_length = test::Village::tick_length;

}  // namespace

Simulation::Simulation(Plan plan, Listener listener, std::string folder)
    : plan_(std::move(plan)),
      listener_(std::move(listener)),
      network_(salted(plan_.seed, Salt::network), plan_.network),
      folder_(std::move(folder)),
      disk_(plan_.seed),
      server_port_(std::make_unique<ServerPort>(*this)),
      oracle_(test::UpheavalGame(plan_.seed).layers(), plan_, listener_.event ? entity_trace() : nullptr),
      census_(rejoin_grace, plan_.players_max),
      views_(plan_.faults.empty() && plan_.network == transport::NetworkConditions{}),
      work_random_(salted(plan_.seed, Salt::work)) {
  MOBULA_ASSERT(std::ranges::is_sorted(plan_.faults, {}, &Fault::at), "faults come one after the other");
  if (plan_.keeps_levels) levels_.emplace(std::move(*client::ResourceFolder::open(folder_ + "/levels")));
  for (std::uint32_t i = 0; i < plan_.players; ++i) {
    players_.push_back(std::make_unique<Player>(*this, i));
    players_.back()->knows_schema = plan_.has_rules ? i % 4 != 0 : i % 4 == 1;
    const bool chosen = plan_.keeps_levels && players_.back()->random.chance(1, 2);
    const bool reads = plan_.keeps_levels && plan_.has_rules && i % 4 != 3;  // without it nothing is certain
    players_.back()->keeps_levels = chosen || reads;
    players_.back()->spectates = plan_.spectates && i == 2;
    players_.back()->frame_ticks = 1u << players_.back()->random.below(3);
  }
  for (std::uint32_t i = 0; i < plan_.hostile_clients; ++i) hostile_clients_.emplace_back(plan_.seed * 55 + i, i);
  for (std::uint32_t i = 0; i < plan_.unauthenticated_peers; ++i)
    unauthenticated_peers_.emplace_back(plan_.seed * 77 + i,
                                        transport::Address::v4(10, 9, 0, static_cast<std::uint8_t>(i + 1), 6000));
}

Simulation::~Simulation() = default;

void Simulation::tick() {
  if (listener_.tick) listener_.tick(outcome_.ticks);
  begin_faults();
  if (!outcome_.wrong.empty()) return;
  if (!stalled_)
    unread_.read_all([&](const auto& from, core::ByteView datagram) { deliver_to_server(from, datagram); });
  network_.deliver(now_,
                   [&](const auto& from, const auto& to, core::ByteView datagram) { deliver(from, to, datagram); });
  for (const auto& player : players_) {
    player->ahead += player->drift * tick_length / core::second;
    const bool is_frame = outcome_.ticks % player->frame_ticks == 0 || outcome_.ticks >= plan_.ticks;
    if (!player->mute && is_frame) run_frame(*player);
  }
  for (UnauthenticatedPeer& peer : unauthenticated_peers_)
    peer.act([&](const transport::Address& from, core::ByteView datagram) {
      network_.send(from, village_address, datagram, now_);
    });
  for (HostileClient& client : hostile_clients_) {
    ClientPort port(*this, client.address());
    client.act(now_, port);
    if (client.connected_with_bad_token()) fail("an invalid token was accepted");
  }
  if (stalled_) {
    able_to_save_since_ = outcome_.ticks;
  } else {
    tick_server();
  }
  now_ += tick_length;
  ++outcome_.ticks;
  if (outcome_.wrong.empty() && server_->drained()) restart_server();
  revive();
}

template <class Work>
void Simulation::count_memory(Work&& work) {
  ecs::test::CountedBytes counted;
  work();
  server_bytes_ += counted.held();
}

void Simulation::tick_server() {
  const bool was_ready = store_->ready();
  const std::uint64_t failures = store_->status().failures;
  census_.begin_tick(now_);
  server_->set_unix_time(date_at(now_ + date_off_));
  count_memory([&] { server_->tick(now_, *server_port_); });
  watch_store(was_ready);
  if (store_->status().failures > failures) trace("the world is not saved: " + store_->status().error);
  check();
}

void Simulation::deliver(const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
  if (to == village_address) return stalled_ ? unread_.add(from, datagram) : deliver_to_server(from, datagram);
  for (const auto& player : players_) {
    if (player->port.from == to) player->port.unread.add(from, datagram);
    if (player->first && player->first->port.from == to) player->first->port.unread.add(from, datagram);
  }
  for (HostileClient& client : hostile_clients_)
    if (client.address() == to) client.receive(from, datagram, now_);
}

void Simulation::deliver_to_server(const transport::Address& from, core::ByteView datagram) {
  count_memory([&] { server_->receive(from, datagram, now_, *server_port_); });
}

void Simulation::check() {
  if (plan_.has_rules) steps_.after_tick(*server_);
  if (views_.wrong()) return fail(*views_.wrong());
  if (const auto wrong = oracle_.check(*server_)) return fail(*wrong);
  if (const auto wrong = census_.check(*server_)) return fail(*wrong);
  if (const auto wrong = turns_.check(*server_, *server_port_)) return fail(*wrong);
  for (const auto& player : players_) {
    const server::ClientSession* session = session_of(*player);
    watch_session(*player, session);
    const std::uint32_t number = number_of(*player, session);
    if (number == 0) continue;
    const ecs::Entity own = player->connection->player_entity();
    const client::Mirror* mirror = player->connection->mirror();
    const bool is_awaited = !own && mirror != nullptr && mirror->tick() == 0;  // it follows Welcome, before any delta
    if (!is_awaited && !census_.may_have(number, own, player->entity_at))
      return fail(player->name + " has an entity that it was not sent");
    if (const auto wrong = oracle_.check(*player->connection, number, player->name))
      return fail(player->name + ": " + *wrong);
    if (const auto wrong =
            census_.check_outcomes(player->name, player->connection->commands(), player->outcomes_checked))
      return fail(player->name + ": " + *wrong);
    if (!player->prediction && !player->rules) player->connection->forget_commands_before(player->outcomes_checked + 1);
    if (outcome_.ticks % 16 == 0) player->connection->session().check();
    if (outcome_.ticks % 8 != 0) continue;
    if (const auto wrong = player->follower.check(*mirror)) return fail(player->name + ": " + *wrong);
  }
  for (const auto& player : players_)
    if (const auto wrong = check_first(*player)) return fail(player->name + ", first log-in: " + *wrong);
  check_sessions();
  // Entities that do not fit a datagram may take half of the budget beside the delta that is always sent.
  const std::uint64_t beside = plan_.has_large ? plan_.delta_bytes : 0;
  if (server_->stats().client_bytes.max() > std::max<std::uint64_t>(plan_.delta_bytes, wire::delta_bytes_max) + beside)
    fail("a client was sent more delta bytes than its budget");
  if (plan_.refuses_second && server_->stats().replaced > 0) fail("a second log-in replaced the first");
  if (outcome_.ticks % 64 == 0) {
    server_->published().check();
    server_->world().registry().check();
    server_->endpoint().check();
  }
  fold(server_->published().hash());
}

// Checks the earlier of two programs of one account, if it is the one that plays.
std::optional<std::string> Simulation::check_first(Player& player) {
  if (!player.first || player.first->connection->state() != client::Connection::State::playing) return std::nullopt;
  const server::ClientSession* session = session_at(player.first->port.from);
  if (session == nullptr) return std::nullopt;
  return oracle_.check(*player.first->connection, session->player.id, player.name);
}

// Checks that only permitted peers have sessions.
void Simulation::check_sessions() {
  for (const auto& session : server_->sessions()) {
    if (server_->connection(*session) == nullptr) continue;
    const transport::Address& address = server_->endpoint().address(session->transport_id);
    const bool is_players = std::ranges::any_of(players_, [&](const auto& each) { return each->is_at(address); });
    if (!is_players && !HostileClient::is_address(address))
      fail(to_string(address) + " has a session, but is not a client");
    const bool is_in = session->joined && session->state != server::ClientSession::State::closing;
    if (is_in && banned_.contains(session->player.account)) fail(session->player.account + " plays although banned");
    if (outcome_.ticks % 16 == 0) server_->connection(*session)->check();
    if (const auto wrong = oracle_.check_view(*session)) fail(*wrong);
  }
}

Oracle::Trace Simulation::entity_trace() {
  return [this](ecs::Entity entity, const std::string& what) { listener_.event(outcome_.ticks, what, entity); };
}

void Simulation::fold(std::uint64_t number) { outcome_.hash = core::hash64(core::as_bytes(&number, 1), outcome_.hash); }

Outcome Simulation::run() {
  begin_server();
  while (outcome_.ticks < plan_.ticks && outcome_.wrong.empty()) tick();
  if (outcome_.wrong.empty()) settle();
  if (outcome_.wrong.empty()) check_last_commands();
  if (plan_.rewinds) trace("rewound: " + views_.summary());
  if (outcome_.wrong.empty())
    if (const auto wrong = views_.check_at_last()) fail(*wrong);
  if (outcome_.wrong.empty() && plan_.watches_memory) watch_memory();
  for (const auto& player : players_)
    if (player->connection != nullptr) outcome_.rejoins += player->connection->stats().rejoins;
  if (outcome_.wrong.empty()) {
    fold(Oracle::state_of(*server_));
    for (const std::uint64_t part : server_->world().random().state()) fold(part);
  }
  fold(network_.counters().delivered);
  fold(oracle_.compared());
  outcome_.compared = oracle_.compared();
  outcome_.poses = views_.poses();
  for (const auto& player : players_)
    if (player->rules) outcome_.certain += player->rules->certain();
  return outcome_;
}

}  // namespace mobula::sim

// End of a simulation, without faults: everything recovers, commands run, and clients that leave leave no memory
// behind.
#include <algorithm>
#include <functional>
#include <simulation/player.hpp>

namespace mobula::sim {
namespace {

constexpr std::uint32_t settle_ticks_max = 1000;  // 50 s after the last fault everything must have recovered
constexpr std::uint32_t ticks_behind_max = 8;     // largest delay of a mirror on a good network
constexpr std::uint32_t quiet_ticks = 40;  // a reliable lane repeats lost messages after this number of later ones
constexpr std::uint32_t orders = 15;       // commands sent at the end
constexpr std::uint32_t rounds = 12;       // repetitions of all clients leaving and joining
constexpr std::int64_t bytes_growth_max = 64 * 1024;  // in half of the rounds: the table of used tokens may double once
constexpr transport::NetworkConditions good_network{.latency = 10 * core::millisecond};

}  // namespace

bool Simulation::is_quiet() {
  return std::ranges::all_of(players_, [&](const auto& player) {
    return number_of(*player) != 0 && player->connection->complete() && !player->first;
  });
}

void Simulation::settle() {
  end_faults();
  await_followers();
  if (outcome_.wrong.empty()) await_quiet();
  for (const auto& player : players_)
    if (outcome_.wrong.empty()) check_at_last(*player);
}

void Simulation::end_faults() {
  trace("all faults end");
  network_.set_conditions(good_network);
  disk_.repair();
  reader_.reset();
  server_port_->full = server_port_->slow = {};
  date_off_ = 0;
  stalled_ = false;
  unauthenticated_peers_.clear();
  hostile_clients_.clear();
  plan_.faults.clear();
  next_fault_ = 0;
  for (const auto& player : players_) {
    network_.heal(player->port.from);
    if (player->first) end_first(*player);
    unban(*player);
    player->mute = false;
    player->drift = 0;
  }
}

// Waits until every client has followed the changing world. A draining server must have stopped: it would lose
// commands in progress.
void Simulation::await_followers() {
  const std::uint32_t begun = outcome_.ticks;
  std::set<const Player*> following;
  const auto is_draining = [&] { return server_ != nullptr && server_->draining(); };
  while ((following.size() < players_.size() || is_draining()) && outcome_.wrong.empty()) {
    if (outcome_.ticks - begun > settle_ticks_max) return fail("a client never catches up with the changing world");
    tick();
    for (const auto& player : players_)
      if (follows(*player)) following.insert(player.get());
  }
}

// Some mirrors are complete in a quiet world only, so their ticks alone count: those with a small delta budget, and
// those of large entities whose baselines a short value log has forgotten. One such entity or other is always under way
// in full.
bool Simulation::follows(const Player& player) const {
  if (number_of(player) == 0 || player.first) return false;
  const bool is_near = player.connection->mirror()->tick() + ticks_behind_max >= server_->world().tick();
  const bool is_overloaded =
      plan_.delta_bytes < wire::delta_bytes_max || (plan_.has_large && plan_.history_bytes <= short_history_bytes);
  return is_near && (player.connection->complete() || is_overloaded);
}

void Simulation::await_quiet() {
  plan_.changes_max = game_->changes_max = 0;
  const std::uint32_t begun = outcome_.ticks;
  for (std::uint32_t quiet = 0; quiet < quiet_ticks && outcome_.wrong.empty();) {
    if (outcome_.ticks - begun > settle_ticks_max) return fail("a mirror never becomes complete in a quiet world");
    tick();
    const bool stands_still = server_ != nullptr && server_->published().last_change() + 1 < server_->world().tick();
    quiet = stands_still && is_quiet() ? quiet + 1 : 0;  // a hostile client may still be awaited, and then leave
  }
}

void Simulation::check_at_last(Player& player) {
  const std::uint32_t number = number_of(player);
  if (const auto wrong = oracle_.check_at_last(*server_, *player.connection, number))
    return fail(player.name + ", at last: " + *wrong);
  if (player.rules)
    if (const auto wrong = player.rules->check_at_last()) return fail(player.name + ", at last: " + *wrong);
  if (player.connection->player_entity() != session_of(player)->player.entity)
    fail(player.name + " has another entity at last than at the server");
  const std::array last{game_->last_for_all(), game_->last_for(number)};
  for (std::size_t which = 0; which < last.size(); ++which)
    if (last[which].tick > player.playing_since && player.last_events[which].number != last[which].number)
      fail(player.name + " received event " + std::to_string(player.last_events[which].number) +
           " last, the game sent " + std::to_string(last[which].number));
}

// Sends commands from all clients. Returns whether all of them ran.
bool Simulation::run_last_commands() {
  std::vector<std::uint32_t> before;
  for (const auto& player : players_) before.push_back(census_.executed(player->name, player->programs).count);
  for (std::uint32_t i = 0; i < 2 * orders && outcome_.wrong.empty(); ++i) {
    for (const auto& player : players_)
      if (i < orders && !player->spectates)
        player->connection->set_command(SimGame::move(SimGame::no_move, player->programs, ++player->commands));
    tick();
  }
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (players_[i]->spectates) continue;
    const Census::Executed& now = census_.executed(players_[i]->name, players_[i]->programs);
    if (now.count - before[i] < orders || now.last != players_[i]->commands) return false;
  }
  return true;
}

// Clients' clocks may have to adapt to the good network first: until then commands may be late.
void Simulation::check_last_commands() {
  const std::uint32_t begun = outcome_.ticks;
  while (!run_last_commands() && outcome_.wrong.empty())
    if (outcome_.ticks - begun > settle_ticks_max) fail("commands keep getting lost in a quiet world");
  if (outcome_.wrong.empty() && !run_last_commands()) fail("a command was lost without a fault");
}

// All clients leave in good order, and may join again.
void Simulation::leave_and_join_again() {
  all_leave_ = true;
  for (const auto& player : players_) {
    player->connection->close(player->port);
    player->prediction.reset();
    player->rules.reset();
    player->connection.reset();
  }
  for (std::uint32_t i = 0; !server_->sessions().empty() && outcome_.wrong.empty(); ++i) {
    tick();
    if (i > settle_ticks_max) fail("a session remains after its client left");
  }
  all_leave_ = false;
}

void Simulation::watch_memory() {
  trace("all players leave and join again");
  std::vector<std::int64_t> bytes;  // after each round
  while (bytes.size() < rounds && outcome_.wrong.empty()) {
    leave_and_join_again();
    bytes.push_back(server_bytes_);
    trace("without players: " + std::to_string(bytes.back()) + " bytes");
    for (std::uint32_t i = 0; !is_quiet() && outcome_.wrong.empty(); ++i) {
      tick();
      if (i > settle_ticks_max) fail("a mirror does not become complete after joining");
    }
  }
  const auto half = bytes.begin() + rounds / 2;
  if (!outcome_.wrong.empty()) return;
  if (bytes.back() > *half + bytes_growth_max ||
      std::adjacent_find(half, bytes.end(), std::greater_equal<>()) == bytes.end())
    fail("the server's memory without players grows: " + std::to_string(bytes.back() - *half) + " bytes in " +
         std::to_string(rounds / 2) + " rounds");
}

}  // namespace mobula::sim

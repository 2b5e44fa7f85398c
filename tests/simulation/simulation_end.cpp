// When nothing goes wrong any more: all comes right, commands are carried out, and who comes and goes leaves nothing
// behind.
#include <algorithm>
#include <functional>
#include <simulation/player.hpp>

namespace mobula::sim {
namespace {

constexpr std::uint32_t settle_ticks_max = 1000;  // 50 s after the last fault everything is right, or never will be
constexpr std::uint32_t ticks_behind_max = 8;     // that a mirror is old on a good network
constexpr std::uint32_t quiet_ticks = 40;  // what was lost on a reliable lane is said again when so much overtook it
constexpr std::uint32_t orders = 15;       // that are given at last
constexpr std::uint32_t rounds = 12;       // of all leaving and coming again
constexpr std::int64_t bytes_growth_max = 64 * 1024;  // in half of them: the table of used tokens may double, in one
constexpr transport::NetworkConditions good_network{.latency = 10 * core::millisecond};

}  // namespace

bool Simulation::is_quiet() {
  return std::ranges::all_of(players_, [&](const auto& player) {
    return number_of(*player) != 0 && player->connection->complete() && !player->first;
  });
}

void Simulation::settle() {
  mend();
  go_on();
  if (outcome_.wrong.empty()) come_to_rest();
  for (const auto& player : players_)
    if (outcome_.wrong.empty()) check_at_last(*player);
}

void Simulation::mend() {
  tell("from now on nothing goes wrong");
  network_.set_conditions(good_network);
  disk_.mend();
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

// While the world goes on as before, everybody comes to have what is there. A server that drains will stop, and lose
// what is under way: that has to be over.
void Simulation::go_on() {
  const std::uint32_t begun = outcome_.ticks;
  std::set<const Player*> following;
  const auto is_draining = [&] { return server_ != nullptr && server_->draining(); };
  while ((following.size() < players_.size() || is_draining()) && outcome_.wrong.empty()) {
    if (outcome_.ticks - begun > settle_ticks_max) return fail("not everybody follows a world that goes on");
    tick();
    for (const auto& player : players_)
      if (follows(*player)) following.insert(player.get());
  }
}

// Of a world in which much changes little may be told in a tick: then it has not all.
bool Simulation::follows(const Player& player) const {
  if (number_of(player) == 0 || player.first) return false;
  const bool is_near = player.connection->mirror()->tick() + ticks_behind_max >= server_->world().tick();
  return is_near && (player.connection->complete() || plan_.delta_bytes < wire::delta_bytes_max);
}

void Simulation::come_to_rest() {
  plan_.changes_max = game_->changes_max = 0;
  const std::uint32_t begun = outcome_.ticks;
  for (std::uint32_t quiet = 0; quiet < quiet_ticks && outcome_.wrong.empty();) {
    if (outcome_.ticks - begun > settle_ticks_max)
      return fail("not everybody has what is there, however long it is quiet");
    tick();
    const bool stands_still = server_ != nullptr && server_->published().last_change() + 1 < server_->world().tick();
    quiet = stands_still && is_quiet() ? quiet + 1 : 0;  // a liar may still be waited for, and then leave
  }
}

void Simulation::check_at_last(Player& player) {
  const std::uint32_t number = number_of(player);
  if (const auto wrong = oracle_.check_at_last(*server_, *player.connection, number))
    return fail(player.name + ", at last: " + *wrong);
  const std::array last{game_->last_for_all(), game_->last_for(number)};
  for (std::size_t which = 0; which < last.size(); ++which)
    if (last[which].tick > player.playing_since && player.last_events[which].number != last[which].number)
      fail(player.name + " was told of event " + std::to_string(player.last_events[which].number) +
           " at last, the game of " + std::to_string(last[which].number));
}

// Whether everybody's are carried out, to the last: nothing waits after it.
bool Simulation::carry_out_orders() {
  std::vector<std::uint32_t> before;
  for (const auto& player : players_) before.push_back(census_.carried(player->name, player->programs).count);
  for (std::uint32_t i = 0; i < 2 * orders && outcome_.wrong.empty(); ++i) {
    for (const auto& player : players_)
      if (i < orders && !player->spectates)
        player->connection->set_command(SimGame::move(SimGame::no_move, player->programs, ++player->commands));
    tick();
  }
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (players_[i]->spectates) continue;
    const Census::Carried& now = census_.carried(players_[i]->name, players_[i]->programs);
    if (now.count - before[i] < orders || now.last != players_[i]->commands) return false;
  }
  return true;
}

// Clocks may have to forget first what the network was like: only then they aim well.
void Simulation::give_orders() {
  const std::uint32_t begun = outcome_.ticks;
  while (!carry_out_orders() && outcome_.wrong.empty())
    if (outcome_.ticks - begun > settle_ticks_max) fail("commands are lost, however long it is quiet");
  if (outcome_.wrong.empty() && !carry_out_orders()) fail("a command was lost while nothing went wrong");
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
    if (i > settle_ticks_max) fail("who has left is still there");
  }
  away_ = false;
}

void Simulation::watch_memory() {
  tell("everybody comes and goes");
  std::vector<std::int64_t> bytes;  // after each round
  while (bytes.size() < rounds && outcome_.wrong.empty()) {
    come_and_go();
    bytes.push_back(server_bytes_);
    tell("nobody is there: " + std::to_string(bytes.back()) + " bytes");
    for (std::uint32_t i = 0; !is_quiet() && outcome_.wrong.empty(); ++i) {
      tick();
      if (i > settle_ticks_max) fail("who comes does not get what is there");
    }
  }
  const auto half = bytes.begin() + rounds / 2;
  if (!outcome_.wrong.empty()) return;
  if (bytes.back() > *half + bytes_growth_max ||
      std::adjacent_find(half, bytes.end(), std::greater_equal<>()) == bytes.end())
    fail("with nobody there the server has ever more memory: " + std::to_string(bytes.back() - *half) + " bytes in " +
         std::to_string(rounds / 2) + " rounds");
}

}  // namespace mobula::sim

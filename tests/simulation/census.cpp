#include <algorithm>
#include <simulation/census.hpp>

namespace mobula::sim {
namespace {

std::string to_text(const server::Player& player) {
  return "player " + std::to_string(player.id) + " (" + player.account + ")";
}

}  // namespace

std::optional<std::string> Census::begin(const server::Server& server, const Known* saved) {
  accounts_ = saved != nullptr ? saved->accounts : std::map<std::uint32_t, std::string>();
  server_ends_ = false;
  away_.clear();
  number_.clear();
  playing_.clear();
  awaited_.clear();
  std::map<std::uint32_t, ecs::Entity> restored;
  for (const auto& session : server.sessions()) {
    awaited_.insert(session->player.id);
    restored[session->player.id] = session->player.entity;
    number_[session->player.account] = session->player.id;
    const auto account = accounts_.find(session->player.id);
    if (account == accounts_.end() || account->second != session->player.account)
      return to_text(session->player) + " was restored, and was none that played";
  }
  if (saved != nullptr && restored != saved->present)
    return "others are awaited than were there, or have other entities";
  return std::nullopt;
}

std::optional<std::string> Census::check(const server::Server& server) {
  here_.clear();
  std::set<std::uint32_t> players;
  for (const auto& session : server.sessions()) {
    if (!session->joined) continue;
    check(*session);
    if (!session->player.spectator && !session->restored) players.insert(session->player.id);
  }
  if (players != playing_) fail("the game was told of others than those who play");
  if (playing_.size() + awaited_.size() > players_max_) fail("there are more players than there is room for");
  return wrong_;
}

void Census::check(const server::ClientSession& session) {
  const server::Player& player = session.player;
  const auto known = accounts_.emplace(player.id, player.account).first;
  if (known->second != player.account) fail(to_text(player) + " has the number of " + known->second);
  if (session.state == server::ClientSession::State::closing) return;
  if (!here_.insert(player.account).second) fail(to_text(player) + " plays twice");
  const auto number = player.spectator ? number_.end() : number_.emplace(player.account, player.id).first;
  if (number != number_.end() && number->second != player.id)
    fail(to_text(player) + " was player " + std::to_string(number->second) + ", and has not left");
  using State = server::ClientSession::State;
  if (session.state == State::joining || session.state == State::playing) {
    away_.erase(player.id);
    return;
  }
  // Who has come back and said nothing yet is awaited as before, and may leave.
  Away& away = away_.emplace(player.id, Away{now_}).first->second;
  away.is_gone = session.state == State::disconnected;
  if (away.is_gone && now_ - away.since >= grace_) fail(to_text(player) + " is still awaited");
}

void Census::came(const server::Player& player) {
  awaited_.erase(player.id);
  sent_away_.erase(player.account);
  if (!playing_.insert(player.id).second) fail("the game was told twice that " + to_text(player) + " comes");
}

// A liar is sent away for what it says, also while it is awaited.
void Census::left(const server::Player& player) {
  const auto away = away_.find(player.id);
  const bool is_awaited = !server_ends_ && !player.account.starts_with("liar") && !sent_away_.contains(player.account);
  if (is_awaited && away != away_.end() && away->second.is_gone && now_ - away->second.since < grace_)
    fail(to_text(player) + " was awaited for " + std::to_string((now_ - away->second.since) / core::millisecond) +
         " ms only");
  if (playing_.erase(player.id) + awaited_.erase(player.id) == 0)
    fail("the game was told that " + to_text(player) + " leaves, who is not there");
  number_.erase(player.account);
}

void Census::carried_out(const server::Player& player, std::uint32_t program, std::uint32_t number) {
  Carried& before = carried_[{player.account, program}];
  if (!playing_.contains(player.id)) fail("a command of " + to_text(player) + ", who does not play");
  if (++done_[player.id] > server::CommandBuffer::per_tick_max)
    fail("more commands of " + to_text(player) + " were carried out than a tick has room for");
  if (number <= before.last)
    fail("command " + std::to_string(number) + " of " + to_text(player) + " was carried out after command " +
         std::to_string(before.last));
  before = {before.count + 1, number};
}

Census::Known Census::known(server::Server& server) const {
  Known known{accounts_, {}};
  for (const auto& session : server.sessions()) {
    const server::Player& player = session->player;
    if (!session->joined) continue;
    known.accounts.emplace(player.id, player.account);
    if (player.spectator) continue;
    if (!player.entity || server.world().registry().valid(player.entity)) known.present[player.id] = player.entity;
  }
  return known;
}

}  // namespace mobula::sim

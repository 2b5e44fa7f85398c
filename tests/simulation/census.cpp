#include <algorithm>
#include <ecs/allocations.hpp>
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
  disconnected_.clear();
  number_.clear();
  playing_.clear();
  awaited_.clear();
  given_.clear();
  std::map<std::uint32_t, ecs::Entity> restored;
  for (const auto& session : server.sessions()) {
    awaited_.insert(session->player.id);
    restored[session->player.id] = session->player.entity;
    gave(session->player.id, session->player.entity);
    number_[session->player.account] = session->player.id;
    const auto account = accounts_.find(session->player.id);
    if (account == accounts_.end() || account->second != session->player.account)
      return to_text(session->player) + " was restored, but never played";
  }
  std::map<std::uint32_t, ecs::Entity> expected;
  if (saved != nullptr)
    for (const auto& [number, entity] : saved->present) expected[number] = last_change_.follow(entity);
  if (saved != nullptr && restored != expected)
    return "the restored players or their entities differ from the saved ones";
  return std::nullopt;
}

std::optional<std::string> Census::check(server::Server& server) {
  here_.clear();
  std::set<std::uint32_t> players;
  for (const auto& session : server.sessions()) {
    if (!session->joined) continue;
    check(*session);
    check_entity(session->player, server.world().registry());
    if (!session->player.spectator && !session->restored) players.insert(session->player.id);
  }
  if (players != playing_) fail("the game's players differ from the server's");
  if (playing_.size() + awaited_.size() > players_max_) fail("there are more players than players_max");
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
    fail(to_text(player) + " was player " + std::to_string(number->second) + " before and has not left");
  using State = server::ClientSession::State;
  if (session.state == State::joining || session.state == State::playing) {
    disconnected_.erase(player.id);
    return;
  }
  // A reconnected client that has not sent anything yet is awaited as before, and may leave.
  Disconnected& lost = disconnected_.emplace(player.id, Disconnected{now_}).first->second;
  lost.is_lost = session.state == State::disconnected;
  if (lost.is_lost && now_ - lost.since >= grace_) fail(to_text(player) + " is kept longer than the rejoin grace");
}

void Census::gave(std::uint32_t player, ecs::Entity entity) {
  const ecs::test::UncountedBytes own;
  given_[player].push_back(entity);
}

void Census::followed(const server::LevelChange& change) {
  const ecs::test::UncountedBytes own;
  for (auto& [player, entities] : given_)
    if (const ecs::Entity next = change.follow(entities.back()); next != entities.back()) entities.push_back(next);
  last_change_ = change;
}

void Census::check_entity(const server::Player& player, const ecs::Registry& registry) {
  const auto given = given_.find(player.id);
  const bool alive = given != given_.end() && registry.valid(given->second.back());
  const ecs::Entity expected = alive ? given->second.back() : ecs::null_entity;
  if (player.entity != expected)
    fail(to_text(player) + " has entity " + to_string(player.entity) + " instead of " + to_string(expected));
}

bool Census::may_have(std::uint32_t player, ecs::Entity entity, std::size_t& at) const {
  if (!entity) return true;
  const auto given = given_.find(player);
  if (given == given_.end()) return false;
  while (at < given->second.size() && given->second[at] != entity) ++at;
  return at < given->second.size();
}

void Census::joined(const server::Player& player) {
  const ecs::test::UncountedBytes own;
  awaited_.erase(player.id);
  disconnected_by_server_.erase(player.account);
  if (!playing_.insert(player.id).second) fail("the game got join() twice for " + to_text(player));
}

// A hostile client, whose account begins with "liar", is disconnected for protocol errors, even while it is awaited.
void Census::left(const server::Player& player) {
  const ecs::test::UncountedBytes own;
  const auto lost = disconnected_.find(player.id);
  const bool is_awaited =
      !server_ends_ && !player.account.starts_with("liar") && !disconnected_by_server_.contains(player.account);
  if (is_awaited && lost != disconnected_.end() && lost->second.is_lost && now_ - lost->second.since < grace_)
    fail(to_text(player) + " was removed after " + std::to_string((now_ - lost->second.since) / core::millisecond) +
         " ms, within the rejoin grace");
  if (playing_.erase(player.id) + awaited_.erase(player.id) == 0)
    fail("the game got leave() for " + to_text(player) + ", which had not joined");
  number_.erase(player.account);
}

void Census::command_ran(const server::Player& player, std::uint32_t program, std::uint32_t number) {
  const ecs::test::UncountedBytes own;
  Executed& before = executed_[{player.account, program}];
  if (!playing_.contains(player.id)) fail("a command ran for " + to_text(player) + ", which does not play");
  if (++done_[player.id] > server::CommandBuffer::per_tick_max)
    fail("more commands ran for " + to_text(player) + " in a tick than per_tick_max");
  if (number <= before.last)
    fail("command " + std::to_string(number) + " of " + to_text(player) + " ran after command " +
         std::to_string(before.last));
  before = {before.count + 1, number};
}

void Census::command_took_effect(const server::Player& player, core::Bytes bytes, ecs::Tick tick) {
  const ecs::test::UncountedBytes own;
  effects_[{player.account, std::move(bytes)}] = tick;
}

// Numbers begin anew with a log.
std::optional<std::string> Census::check_outcomes(const std::string& account, const client::CommandLog& log,
                                                  std::uint32_t& checked) const {
  const ecs::test::UncountedBytes own;
  if (log.next() <= checked) checked = 0;
  for (; checked + 1 < log.next(); ++checked) {
    const client::CommandLog::Entry* const command = log.find(checked + 1);
    if (command == nullptr) continue;
    const auto effect = effects_.find({account, command->bytes});
    const ecs::Tick expected = effect == effects_.end() ? 0 : effect->second;
    const ecs::Tick known = log.ran_in(checked + 1).tick;
    if (known != expected)
      return "command " + std::to_string(checked + 1) + " ran in tick " + std::to_string(expected) +
             ", but its client was sent tick " + std::to_string(known) + "; 0 is none";
  }
  return std::nullopt;
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

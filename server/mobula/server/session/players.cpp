#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/game/thrown.hpp>
#include <mobula/server/session/players.hpp>
#include <utility>

namespace mobula::server {

core::Status Players::join(ClientSession& session, const ClientSession* restored) {
  Player& player = session.player;
  player.id = restored != nullptr ? restored->player.id : next_id_++;
  if (!player.spectator)
    player.entity =
        restored != nullptr ? world_.player_entity(player.id) : former_.find(player.account, world_.registry());
  world_.add_viewer(player.id, player.entity, player.spectator);
  if (const core::Status asked = ask_game(player); !asked) {
    if (restored == nullptr) world_.remove_viewer(player.id);
    return asked;
  }
  if (!player.spectator) former_.forget(player.account);
  if (restored == nullptr) ++counts_[player.spectator ? 1 : 0];  // else the player is counted
  set_joined(session);
  session.replication.viewer = &world_.viewer(player.id);
  return core::Done{};
}

void Players::add_neighbour(ClientSession& session, const ZoneRegion& zone) {
  Player& player = session.player;
  player.id = next_id_++;
  player.spectator = true;
  world_.add_viewer(player.id, ecs::null_entity, true);
  world_.viewer(player.id).set_zone(zone);
  session.replication.viewer = &world_.viewer(player.id);
  set_joined(session);
  const core::LogScope about(session.log_fields());
  core::log_info("server", "the neighbouring zone \"{}\" is connected", player.name);
}

void Players::add_visitor(ClientSession& session, ecs::Entity entity) {
  Player& player = session.player;
  player.id = next_id_++;
  world_.add_viewer(player.id);
  world_.viewer(player.id).set_viewpoints({&entity, 1});
  session.replication.viewer = &world_.viewer(player.id);
  session.visiting = true;
  const core::LogScope about(session.log_fields());
  core::log_info("server", "\"{}\" is near this zone, and sees it", player.name);
}

bool Players::sees_entity(const ClientSession& visitor) const {
  return world_.registry().valid(visitor.replication.viewer->viewpoints().front());
}

void Players::set_joined(ClientSession& session) {
  session.joined = true;
  sessions_[session.player.id] = &session;
}

ClientSession* Players::find(std::uint32_t player) const {
  const auto found = sessions_.find(player);
  return found == sessions_.end() ? nullptr : found->second;
}

void Players::hand_over(ClientSession& other, ClientSession& session) {
  session.replication.viewer = std::exchange(other.replication.viewer, nullptr);
  other.joined = false;
  set_joined(session);
}

core::Status Players::ask_game(Player& player) {
  if (player.spectator) return run_hook("Game::spectate", [&] { return game_.spectate(world_, player); });
  const core::Result<ecs::Entity> joined = run_hook("Game::join", [&] {
    core::Result<ecs::Entity> result = game_.join(world_, player);
    if (result)
      MOBULA_CHECK(!*result || world_.registry().valid(*result),
                   "Game::join returned entity " + to_string(*result) + ", which is dead");
    return result;
  });
  if (!joined) return joined.error();
  player.entity = *joined;
  world_.set_player_entity(player.id, player.entity);
  return core::Done{};
}

void Players::leave(ClientSession& session, std::string_view why) {
  if (!session.joined) {
    if (session.is_absent()) end_view(session);
    session.departing = session.visiting = false;
    return;
  }
  if (!session.zone) session.update_player_entity(world_.registry());
  leave_game(session, why);
  const Player& player = session.player;
  if (!player.spectator && !player.account.empty())
    former_.note(player.account, world_.player_entity(player.id), world_.registry());
  end_view(session);
}

void Players::depart(ClientSession& session, std::string_view why) {
  leave_game(session, why);
  session.departing = true;
}

void Players::leave_game(ClientSession& session, std::string_view why) {
  const core::LogScope about(session.log_fields());
  core::log_info("server", "{} {} \"{}\" left the game: {}", session.role(), session.player.id, session.player.name,
                 why);
  session.joined = false;
  sessions_.erase(session.player.id);
  if (session.zone) return;
  --counts_[session.player.spectator ? 1 : 0];
  ecs::Entity& entity = session.player.entity;
  if (entity && world_.is_ghost(entity)) entity = ecs::null_entity;  // another zone's, and not the game's to destroy
  run_hook("Game::leave", [&] { game_.leave(world_, std::as_const(session.player)); });
}

void Players::end_view(ClientSession& session) {
  session.replication.viewer = nullptr;
  world_.remove_viewer(session.player.id);
}

void Players::on_level_changed(const LevelChange& change) {
  former_.follow([&](ecs::Entity entity) { return change.follow(entity); });
}

bool Players::can_restore(const KnownPlayer& known) const {
  return known.id != 0 && known.id < next_id_ && world_.try_viewer(known.id) == nullptr;
}

void Players::restore(ClientSession& session, const KnownPlayer& known) {
  session.player = {.id = known.id, .name = known.name, .entity = {}, .account = known.account};
  world_.add_viewer(known.id, known.entity);
  session.replication.viewer = &world_.viewer(known.id);
  session.update_player_entity(world_.registry());
  ++counts_[0];
  set_joined(session);
  session.restored = true;
}

core::Status Players::take_in(ClientSession& session, KnownPlayer known, core::ByteView data) {
  if (known.id == 0) known.id = next_id_++;
  restore(session, known);
  core::Status taken = core::Done{};
  const auto unpack = [&] { taken = game_.unpack(world_, std::as_const(session.player), data); };
  // An exception refuses this player alone: each further process would fail at it.
  if (const std::optional<Thrown> thrown = thrown_by([&] { run_hook("Game::unpack", unpack); }))
    taken = error_of(*thrown);
  if (taken) return taken;
  session.joined = false;
  sessions_.erase(known.id);
  --counts_[0];
  world_.remove_viewer(known.id);
  return taken;
}

ecs::Entity Players::forget_former(const std::string& account) {
  const ecs::Entity entity = former_.find(account, world_.registry());
  former_.forget(account);
  return entity;
}

void Players::restore_former(const KnownPlayer& known) {
  if (!known.account.empty()) former_.note(known.account, known.entity, world_.registry());
}

KnownPlayer Players::known(const ClientSession& session) const {
  const Player& player = session.player;
  return {player.id, player.name, player.account, world_.player_entity(player.id), true};
}

std::vector<KnownPlayer> Players::former() {
  std::vector<KnownPlayer> known;
  for (const auto& [account, entity] : former_.all(world_.registry())) known.push_back({0, "", account, entity, false});
  return known;
}

}  // namespace mobula::server

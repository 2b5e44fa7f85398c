#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/game/thrown.hpp>
#include <mobula/server/session/player_crossing.hpp>
#include <utility>

namespace mobula::server {

core::Result<CrossingPlayer> PlayerCrossing::release(std::uint32_t id, std::string_view target, std::size_t bytes_max) {
  ClientSession* const session = sessions_.find_joined(id);
  if (session == nullptr || session->player.spectator)
    return core::Error{"no such player", core::format("number {} is no player in the game", id)};
  // Each hook may give the player another entity, or destroy it.
  const auto player_now = [&] {
    session->update_player_entity(world_.registry());
    return session->player;
  };
  if (session->player.account.empty())
    return core::Error{"no account", core::format("player {} has no account, so no other world can recognise it", id)};
  const core::Status may = run_hook("Game::may_leave", [&] { return game_.may_leave(world_, player_now(), target); });
  if (!may) return may.error();
  core::Bytes data = run_hook("Game::pack", [&] { return game_.pack(world_, player_now()); });
  const Player player = player_now();
  CrossingPlayer crossing{.account = player.account, .name = player.name, .pack = {}, .data = std::move(data)};
  if (player.entity) {
    core::Result<core::Bytes> pack = world_.pack(player.entity);
    if (!pack) return pack.error();
    crossing.pack = std::move(*pack);
  }
  const std::size_t bytes =
      crossing.account.size() + crossing.name.size() + crossing.pack.size() + crossing.data.size();
  if (bytes > bytes_max)
    return core::Error{"too large", core::format("player {} has {} bytes; the maximum is {}", id, bytes, bytes_max)};
  sessions_.release(*session, core::format("leaves for world {}", target));
  players_.forget_former(player.account);
  departed_.prepare(player.account);
  if (world_.registry().valid(player.entity)) world_.destroy_tree(player.entity);
  return crossing;
}

core::Status PlayerCrossing::take_in(const CrossingPlayer& player, std::string_view world) {
  ecs::Entity root;
  if (!player.pack.empty()) {
    core::Result<ecs::Entity> unpacked = ecs::null_entity;
    // An exception of a listener refuses this player alone, as one of Game::unpack does.
    if (const std::optional<Thrown> thrown = thrown_by([&] { unpacked = world_.unpack(player.pack); }))
      return error_of(*thrown);
    if (!unpacked) return unpacked.error();
    root = *unpacked;
  }
  const core::Status taken = sessions_.take_in(
      {.id = 0, .name = player.name, .account = player.account, .entity = root, .present = true}, player.data, world);
  if (!taken && world_.registry().valid(root)) world_.destroy_tree(root);
  if (!taken) return taken;
  departed_.forget(player.account);
  core::log_info("server", "the player of account {} has arrived from another world", player.account);
  return taken;
}

void PlayerCrossing::remove(const std::string& account) {
  for (const KnownPlayer& known : sessions_.known_players()) {
    if (known.account != account) continue;
    if (known.present) sessions_.release(*sessions_.find_joined(known.id), "is in another world");
    if (world_.registry().valid(known.entity)) world_.destroy_tree(known.entity);
  }
  players_.forget_former(account);
}

}  // namespace mobula::server

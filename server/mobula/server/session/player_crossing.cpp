#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/game/thrown.hpp>
#include <mobula/server/session/player_crossing.hpp>
#include <utility>

namespace mobula::server {
namespace {

// Maximum size of a handle in bytes and as text together.
constexpr std::size_t handle_bytes_max = 32;
constexpr std::size_t header_bytes_max = 16;  // a pack's, besides its handles
// Parents that are looked at. A game may have made a cycle of them.
constexpr int parents_max = 1000;

core::Status check_size(const CrossingPlayer& player, std::size_t bytes_max) {
  const std::size_t bytes = header_bytes_max + player.account.size() + player.name.size() + player.pack.size() +
                            player.data.size() + player.zone.bytes.size() +
                            handle_bytes_max * player.zone.entities.size() +
                            sizeof(ecs::Entity) * player.zone.others.size();
  if (bytes <= bytes_max) return core::Done{};
  return core::Error{"too large", core::format("the crossing has {} bytes; the maximum is {}", bytes, bytes_max)};
}

}  // namespace

core::Result<CrossingPlayer> PlayerCrossing::release(std::uint32_t id, std::string_view target, std::size_t bytes_max) {
  ClientSession* const session = sessions_.find_joined(id);
  if (session == nullptr || session->player.spectator)
    return core::Error{"no such player", core::format("number {} is no player in the game", id)};
  if (core::Status may = may_leave(*session, target); !may) return may.error();
  core::Bytes data = run_hook("Game::pack", [&] { return game_.pack(world_, player_now(*session)); });
  const Player player = player_now(*session);
  CrossingPlayer crossing{.account = player.account, .name = player.name, .data = std::move(data)};
  if (player.entity) {
    core::Result<core::Bytes> pack = world_.pack(player.entity);
    if (!pack) return pack.error();
    crossing.pack = std::move(*pack);
  }
  if (core::Status fits = check_size(crossing, bytes_max); !fits) return fits.error();
  let_go(*session, target);
  if (world_.registry().valid(player.entity)) world_.destroy_tree(player.entity);
  return crossing;
}

core::Result<CrossingPlayer> PlayerCrossing::release_to_zone(
    std::span<const ecs::Entity> roots, std::string_view target, std::size_t bytes_max,
    const std::function<void(std::span<const ecs::Entity>)>& keep) {
  const core::Result<ClientSession*> found = player_among(roots);
  if (!found) return found.error();
  ClientSession* const session = *found;
  CrossingPlayer crossing;
  if (session != nullptr) {
    if (core::Status may = may_leave(*session, target); !may) return may.error();
    crossing.data = run_hook("Game::pack", [&] { return game_.pack(world_, player_now(*session)); });
    crossing.account = session->player.account;
    crossing.name = session->player.name;
    crossing.commands = session->commands.next() - 1;
  }
  if (!std::ranges::all_of(roots, [&](ecs::Entity root) { return world_.is_own_root(root); }))
    return core::Error{"changed", "a hook of the game has destroyed the entity, or has given it a parent"};
  core::Result<ZonePack> pack = world_.pack_for_zone(roots);
  if (!pack) return pack.error();
  crossing.zone = std::move(*pack);
  if (session != nullptr) crossing.zone.player = player_now(*session).entity;
  if (session != nullptr && !std::ranges::count(crossing.zone.entities, crossing.zone.player))
    return core::Error{"other entity", "a hook of the game has given the player an entity that does not cross"};
  if (core::Status fits = check_size(crossing, bytes_max); !fits) return fits.error();
  keep(crossing.zone.entities);
  if (session == nullptr) return crossing;
  const std::string account = session->player.account;
  const std::string why = core::format("crosses to zone {}", target);
  if (session->can_depart() && world_.registry().valid(crossing.zone.player)) {
    players_.depart(*session, why);
  } else {
    sessions_.release(*session, why);
  }
  forget(account);
  return crossing;
}

std::vector<ecs::Entity> PlayerCrossing::roots_of_players() const {
  const ecs::Registry& registry = world_.registry();
  std::vector<ecs::Entity> roots;
  for (const auto& session : sessions_.all()) {
    if (!session->joined || session->player.spectator) continue;
    ecs::Entity root = world_.player_entity(session->player.id);
    if (!registry.valid(root)) continue;
    for (int parents = 0; parents < parents_max; ++parents) {
      const auto* const parent = registry.try_get<const engine::Parent>(root);
      if (parent == nullptr || !registry.valid(parent->entity)) break;
      root = parent->entity;
    }
    roots.push_back(root);
  }
  std::ranges::sort(roots);
  return roots;
}

core::Result<ClientSession*> PlayerCrossing::player_among(std::span<const ecs::Entity> roots) const {
  std::vector<ecs::Entity> entities;
  for (const ecs::Entity root : roots) {
    const std::vector<ecs::Entity> tree = world_.hierarchy().subtree(root);
    entities.insert(entities.end(), tree.begin(), tree.end());
  }
  ClientSession* among = nullptr;
  for (const auto& session : sessions_.all()) {
    if (!session->joined || session->player.spectator) continue;
    const ecs::Entity entity = world_.player_entity(session->player.id);
    if (!entity || std::ranges::find(entities, entity) == entities.end()) continue;
    if (among != nullptr)
      return core::Error{"several players", core::format("the players {} and {} would cross together; only one can",
                                                         among->player.id, session->player.id)};
    among = session.get();
  }
  return among;
}

core::Status PlayerCrossing::may_leave(ClientSession& session, std::string_view target) {
  const Player player = player_now(session);
  if (player.account.empty())
    return core::Error{"no account",
                       core::format("player {} has no account, so no other world can recognise it", player.id)};
  return run_hook("Game::may_leave", [&] { return game_.may_leave(world_, player, target); });
}

// Each hook may give the player another entity, or destroy it.
Player PlayerCrossing::player_now(ClientSession& session) {
  session.update_player_entity(world_.registry());
  return session.player;
}

void PlayerCrossing::let_go(ClientSession& session, std::string_view target) {
  const std::string account = session.player.account;
  sessions_.release(session, core::format("leaves for world {}", target));
  forget(account);
}

void PlayerCrossing::forget(const std::string& account) {
  players_.forget_former(account);
  departed_.prepare(account);
}

std::vector<FollowingPlayer> PlayerCrossing::followers() const {
  std::vector<FollowingPlayer> all;
  for (const auto& session : sessions_.all()) {
    const Player& player = session->player;
    if (!session->joined || !session->can_depart() || player.spectator || player.account.empty()) continue;
    const ecs::Entity entity = world_.player_entity(player.id);
    if (entity) all.push_back({player.account, player.identity, entity});
  }
  return all;
}

std::optional<transport::Identity> PlayerCrossing::follower(std::string_view account) const {
  const ClientSession* const session = sessions_.find_follower(account);
  return session != nullptr ? std::optional(session->player.identity) : std::nullopt;
}

void PlayerCrossing::send_follow(std::string_view account, const wire::Follow& follow) {
  if (ClientSession* const session = sessions_.find_follower(account)) sessions_.send_follow(*session, follow);
}

// Returns the player's entity.
core::Result<ecs::Entity> PlayerCrossing::make_entities(const CrossingPlayer& player) {
  if (player.zone.entities.empty()) return player.pack.empty() ? ecs::null_entity : world_.unpack(player.pack);
  if (core::Status received = world_.receive(player.zone); !received) return received.error();
  return player.zone.player;
}

core::Status PlayerCrossing::take_in(const CrossingPlayer& player, std::string_view world) {
  core::Result<ecs::Entity> made = ecs::null_entity;
  // An exception of a listener refuses this player alone, as one of Game::unpack does.
  if (const std::optional<Thrown> thrown = thrown_by([&] { made = make_entities(player); })) {
    world_.give_up(player.zone.entities);
    return error_of(*thrown);
  }
  if (!made) return made.error();
  if (player.account.empty()) return core::Done{};
  const core::Status taken =
      sessions_.take_in({.id = 0, .name = player.name, .account = player.account, .entity = *made, .present = true},
                        player.data, world, player.commands == 0 ? 0 : player.commands + 1);
  if (taken) {
    departed_.forget(player.account);
    core::log_info("server", "the player of account {} has arrived from another world", player.account);
    return taken;
  }
  if (player.zone.entities.empty() && world_.registry().valid(*made)) world_.destroy_tree(*made);
  world_.give_up(player.zone.entities);
  return taken;
}

void PlayerCrossing::remove(const std::string& account, std::span<const ecs::Entity> entities) {
  world_.give_up(entities);
  if (account.empty()) return;
  for (const KnownPlayer& known : sessions_.known_players()) {
    if (known.account != account) continue;
    if (known.present) sessions_.release(*sessions_.find_joined(known.id), "is in another world");
    if (world_.registry().valid(known.entity)) world_.destroy_tree(known.entity);
  }
  players_.forget_former(account);
}

}  // namespace mobula::server

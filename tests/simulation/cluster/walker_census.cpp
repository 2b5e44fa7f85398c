#include <mobula/core/hash.hpp>
#include <simulation/cluster/walker_census.hpp>

namespace mobula::sim {

void WalkerCensus::on_command(const std::string& account, std::uint32_t number, std::uint32_t last) {
  if (number <= last)
    fail("command " + std::to_string(number) + " of " + account + " is executed after " + std::to_string(last));
  executed_[account] = number;
  if (executes) executes(account, number);
  // The first ones may be given before the client's clock is known.
  if (last != 0 && number != last + 1 && left_out.empty())
    left_out = "command " + std::to_string(last + 1) + " of " + account + " was left out";
}

void WalkerCensus::note_handle(ecs::Entity entity, std::uint32_t number) {
  const auto [known, is_new] = number_of_.try_emplace(entity, number);
  if (!is_new && known->second != number)
    fail("entity " + std::to_string(number) + " has handle " + to_string(entity) + " of entity " +
         std::to_string(known->second));
}

void WalkerCensus::note_number(std::uint32_t number, ecs::Entity entity) {
  const auto [known, is_new] = handle_of_.try_emplace(number, entity);
  if (!is_new && known->second != entity)
    fail("entity " + std::to_string(number) + " has handle " + to_string(entity) + " and had " +
         to_string(known->second));
}

void WalkerCensus::look_at_players(const std::string& name, const server::Server& server) {
  for (const server::KnownPlayer& player : server.known_players()) {
    if (!player.present) continue;
    const auto [world, is_first] = player_in_.try_emplace(player.account, name);
    if (!is_first) fail(player.account + " has a player in " + name + " and in " + world->second);
  }
}

void WalkerCensus::look(const std::string& name, server::Server& server) {
  look_at_players(name, server);
  const server::World& world = server.world();
  const ecs::Registry& registry = world.registry();
  registry.view<const demo::Avatar, const demo::Health>().each(
      [&](ecs::Entity entity, const demo::Avatar& avatar, const demo::Health& health) {
        const std::string what =
            (world.is_ghost(entity) ? "ghost of entity " : "entity ") + std::to_string(avatar.player) + " in " + name;
        note_handle(entity, avatar.player);
        note_number(avatar.player, entity);
        if (health.current != value_of(avatar.player, avatar.score))
          fail(what + " has a value of another tick or entity");
        digest = core::hash64(core::as_bytes(&avatar, 1), digest);
        if (world.is_ghost(entity)) {
          ++compared;
          return;
        }
        const auto [owner, is_first] = owned_.try_emplace(avatar.player, name);
        if (!is_first) fail(what + " is also in " + owner->second);
      });
}

void WalkerCensus::check_all() {
  for (const std::uint32_t number : forever_)
    if (!owned_.contains(number)) fail("entity " + std::to_string(number) + " is lost");
}

}  // namespace mobula::sim

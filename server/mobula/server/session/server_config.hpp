// Configuration of a Server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/secret_stream.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/interest/region.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <mobula/server/store/store.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <mobula/server/tick/work_budget.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

/// Selects what happens when an account logs in while another client plays with it. A disconnected player is always
/// replaced, whatever the policy.
enum class DuplicateLogin : std::uint8_t {
  replace,  ///< the new client takes the player over, and the other client is disconnected
  refuse,   ///< the new client is refused
};

/// A world that is a zone of a larger one.
struct ZoneConfig {
  ecs::OwnIndices own{};  ///< indices of the entities that the zone creates
  ZoneRegion zone{};
  std::optional<Region> level{};  ///< where it spawns the level; null if that is its region
  /// Returns the neighbouring zone that a client is, by its token. The client mirrors what may be seen from its region,
  /// and the game is not asked about it.
  std::function<std::optional<ZoneRegion>(const Identity&)> neighbour{};
};

struct ServerConfig {
  std::shared_ptr<const resource::Resource> level{};  ///< null for an empty world
  std::uint32_t ticks_per_second = 20;
  std::uint64_t seed = 1;
  std::uint32_t entities_max = 1u << 20;  ///< maximum number of entities at a time
  std::optional<ZoneConfig> zone{};       ///< null if it is a world of its own
  /// Memory for past values used as delta baselines, in bytes.
  std::size_t history_bytes = 16u << 20;
  /// Verifies the mirror of one client in N, besides those of clients that ask for it; 0 disables it.
  std::uint32_t verify_one_in = 100;
  /// Maximum delta bytes per client per tick. One delta of wire::delta_bytes_max is always allowed. Entities that do
  /// not fit a datagram then still get half of it.
  std::uint32_t delta_bytes_per_tick_max = 24 * 1024;
  std::uint32_t players_max = 1024;  ///< disconnected players included
  std::uint32_t spectators_max = 100;
  DuplicateLogin duplicate_login = DuplicateLogin::replace;
  BanList bans{};
  /// How long a disconnected player stays in the world for its client to reconnect.
  core::Nanoseconds rejoin_grace = 30 * core::second;
  /// Maximum number of disconnected players. Beyond it, a player leaves the world as soon as the connection is lost.
  std::uint32_t disconnected_max = 256;
  /// Addresses of this server in rejoin tokens.
  std::vector<transport::Address> token_servers{};
  /// Seed of rejoin tokens. Fill it with core::random_bytes; a simulation fills it from its seed.
  core::SecretKey secret{};
  /// Clock that times ticks and systems; null disables it. Nothing depends on it but these times.
  TickPhases::Clock phase_clock = nullptr;
  /// Clock by which newcomers are limited to the work budget; null serves all of them in each tick. Which client joins
  /// in which tick depends on it, so a simulation has a virtual one.
  WorkBudget::Clock work_clock = nullptr;
  /// Share of a tick's period, in percent, until which newcomers are served; less than 5 counts as 5.
  std::uint32_t newcomer_budget_percent = 50;
  /// Where the world is saved; null saves nothing. A world that has been saved there is restored. The store outlives
  /// the server, which calls all of its functions but open() and status().
  store::Store* store = nullptr;
  std::uint32_t checkpoint_ticks = 200;  ///< ticks from one checkpoint to the next
  transport::ServerEndpointConfig transport{};
};

}  // namespace mobula::server

// Players who leave for other worlds of the cluster, and who arrive from them: with their entities, between ticks.
// Entities that go from one zone to another do so alone too, and keep their handles. Which world has a player or an
// entity is decided elsewhere (cluster/crossings.hpp).
#pragma once

#include <functional>
#include <map>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/session/departed_players.hpp>
#include <mobula/server/session/players.hpp>
#include <mobula/server/session/sessions.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mobula::server {

/// A player without a world, or entities between two zones.
struct CrossingPlayer {
  std::string account{};  // empty if no player is among the entities
  std::string name{};
  core::Bytes pack{};          // World::pack of its entity; empty if it has none
  ZonePack zone{};             // between zones, instead of `pack`
  core::Bytes data{};          // Game::pack
  std::uint32_t commands = 0;  // number of the last command that was done, between zones
};

/// A player whose client can be sent to another zone.
struct FollowingPlayer {
  std::string account{};
  transport::Identity identity{};
  ecs::Entity entity{};
};

class PlayerCrossing {
 public:
  /// All outlive this.
  PlayerCrossing(World& world, Game& game, Players& players, Sessions& sessions, DepartedPlayers& departed,
                 core::Nanoseconds grace)
      : world_(world), game_(game), players_(players), sessions_(sessions), departed_(departed), grace_(grace) {}

  /// Removes a player who is to leave for a world, with all its entities. Its client stays connected until end().
  /// `bytes_max` limits all of it together. Errors, which change nothing: "no such player", "no account" (nobody
  /// could find it there), "too large", that of Game::may_leave, and those of World::pack.
  core::Result<CrossingPlayer> release(std::uint32_t player, std::string_view target, std::size_t bytes_max);
  /// Removes living entities with all below them, as they go to another zone, and with their player, if one of them is
  /// a player's. The client of that player stays connected until end(). `keep` receives the entities, and removes them
  /// or turns them into ghosts. Errors, which change nothing: "several players" that go together, and those of
  /// release().
  core::Result<CrossingPlayer> release_to_zone(std::span<const ecs::Entity> roots, std::string_view target,
                                               std::size_t bytes_max,
                                               const std::function<void(std::span<const ecs::Entity>)>& keep);
  /// Returns the topmost entities above those of players, sorted.
  [[nodiscard]] std::vector<ecs::Entity> roots_of_players() const;
  /// Notes that the player of an account is in a world of the cluster: its client is sent there when it returns.
  void leave(const std::string& account, std::string_view world, core::Nanoseconds now) {
    departed_.leave(account, world, now, now + grace_);
  }
  /// Returns the accounts that leave() has noted, with their worlds, as long as their clients may return.
  [[nodiscard]] std::map<std::string, std::string> departed(core::Nanoseconds now) const { return departed_.all(now); }
  /// Notes that the player of an account is to be in this world, whose turn it is to take it in.
  void expect(const std::string& account) { departed_.forget(account); }
  /// Returns the players in the game whose clients can be sent to another zone, with their entities.
  [[nodiscard]] std::vector<FollowingPlayer> followers() const;
  /// Returns the identity of an account's client that can be sent to another zone (Sessions::find_follower). Nothing
  /// without such a client.
  [[nodiscard]] std::optional<transport::Identity> follower(std::string_view account) const;
  /// Sends such a client to another zone.
  void send_follow(std::string_view account, const wire::Follow& follow);
  /// Disconnects the client of a released player, unless it departs.
  void end(std::string_view account, const transport::Reason& reason) { sessions_.end_released(account, reason); }
  /// Takes a player into this world, which has that name in the cluster. A client of the account that plays already is
  /// disconnected as if it were sent here, so that it joins again with the arrived player. Errors, which change
  /// nothing: "world full", those of World::unpack, World::receive and of Game::unpack.
  core::Status take_in(const CrossingPlayer& player, std::string_view world);
  /// Removes the player of an account with all its entities, if the world has one, and entities of another zone.
  void remove(const std::string& account, std::span<const ecs::Entity> entities = {});

 private:
  [[nodiscard]] core::Result<ClientSession*> player_among(std::span<const ecs::Entity> roots) const;
  core::Status may_leave(ClientSession& session, std::string_view target);
  Player player_now(ClientSession& session);
  void let_go(ClientSession& session, std::string_view target);
  void forget(const std::string& account);
  core::Result<ecs::Entity> make_entities(const CrossingPlayer& player);

  World& world_;
  Game& game_;
  Players& players_;
  Sessions& sessions_;
  DepartedPlayers& departed_;
  core::Nanoseconds grace_;
};

}  // namespace mobula::server

// Players and spectators as the game knows them. Calls the game's hooks when they join and leave, assigns their ids,
// and remembers which entity the account of a former player had.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/former_entities.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mobula::server {

/// A player that is saved with the world.
struct KnownPlayer {
  std::uint32_t id = 0;
  std::string name;
  std::string account;
  ecs::Entity entity;
  bool present = false;  ///< in the world, connected or not; else only the entity is kept for the account
};

class Players {
 public:
  /// Both outlive this.
  Players(World& world, Game& game) : world_(world), game_(game) {}

  /// Asks the game to let the session's player or spectator join. `restored` is the session of the same player as it
  /// was restored from the store; null if there is none. Error: the game's reason to refuse.
  core::Status join(ClientSession& session, const ClientSession* restored);
  /// Lets a neighbouring zone's session see what is near its region. The game is not asked, and it does not count.
  void add_neighbour(ClientSession& session, const ZoneRegion& zone);
  /// Removes the player or spectator from the game, unless it has left already. `why` is logged.
  void leave(ClientSession& session, std::string_view why);
  /// Removes a player from the game whose entities go to another zone, and are not the game's to destroy. Its viewer
  /// stays until leave().
  void depart(ClientSession& session, std::string_view why);
  /// Lets the session see the world around an entity of another zone, whose player may arrive. The game is not asked.
  void add_visitor(ClientSession& session, ecs::Entity entity);
  /// Returns whether the entity that a visitor came with is in the world, as a ghost or not.
  [[nodiscard]] bool sees_entity(const ClientSession& visitor) const;
  /// Continues the player of another session in this one, which has its id. The game does not notice.
  void hand_over(ClientSession& other, ClientSession& session);
  /// Returns the session of a player or spectator in the game; null if there is none.
  [[nodiscard]] ClientSession* find(std::uint32_t player) const;

  /// Returns the number of players, or of spectators, in the game, disconnected ones included.
  [[nodiscard]] std::size_t count(bool spectators) const { return counts_[spectators ? 1 : 0]; }

  /// Makes the entities of players that have left follow to their successors.
  void on_level_changed(const LevelChange& change);

  /// Returns whether a player of a saved world can be restored: its id is new.
  [[nodiscard]] bool can_restore(const KnownPlayer& known) const;
  /// Makes the session that of a player in a restored world, without asking the game.
  void restore(ClientSession& session, const KnownPlayer& known);
  /// Takes in a player from another world, as a disconnected player. Its id is the next one if it has none. Error: that
  /// of Game::unpack; nothing has changed then.
  core::Status take_in(ClientSession& session, KnownPlayer known, core::ByteView data);
  /// Forgets the entity of an account whose player has left. Returns it if it is alive, else null.
  ecs::Entity forget_former(const std::string& account);
  /// Remembers the entity of an account whose player is not in the world.
  void restore_former(const KnownPlayer& known);
  void restore_next_id(std::uint32_t next_id) { next_id_ = std::max(next_id, 1u); }

  /// Returns the session's player as it is saved.
  [[nodiscard]] KnownPlayer known(const ClientSession& session) const;
  /// Returns the accounts of players that have left and still have an entity, by account.
  [[nodiscard]] std::vector<KnownPlayer> former();
  /// Returns the id of the next player or spectator to join.
  [[nodiscard]] std::uint32_t next_id() const { return next_id_; }

 private:
  core::Status ask_game(Player& player);
  void leave_game(ClientSession& session, std::string_view why);
  void end_view(ClientSession& session);
  void set_joined(ClientSession& session);

  World& world_;
  Game& game_;
  FormerEntities former_;
  std::uint32_t next_id_ = 1;
  std::array<std::size_t, 2> counts_{};                         // players, spectators
  std::unordered_map<std::uint32_t, ClientSession*> sessions_;  // by the id of the player in the game
};

}  // namespace mobula::server

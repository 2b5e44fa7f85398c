// Game: the rules, written by a team. The server owns the world, sessions and replication, and calls these hooks on the
// simulation thread. Components of the schema are replicated to every client that may see them. Messages that are not
// state are sent through world.events().
//
// Once:            schema, commands, rules, spawners, layers, interest_rule, rewind; then check_level, and
//                  start in a new world or load in a saved one; then systems
// For each reload: check_level, level_changed
// For each player: authenticate, then join or spectate; commands; leave
// In a cluster:    may_leave, pack and leave in one world; unpack, then join in another
// Each tick:       due commands; receive for messages to entities; the step of rules, then step_spawned and effect;
// tick, the systems; save with each
//                  checkpoint
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/schedule.hpp>
#include <mobula/prediction/effect.hpp>
#include <mobula/prediction/rules.hpp>
#include <mobula/server/game/command_table.hpp>
#include <mobula/server/game/rewind_config.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/interest_rule.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <mobula/transport/connect_token.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::server {

/// Identity of a client: client id and user data of its connect token.
using Identity = transport::Identity;

/// A player or spectator, as the hooks of a game receive it.
struct Player {
  std::uint32_t id = 0;  // unique during the life of the world
  std::string name;      // chosen by the client: printable, not unique, may be empty
  // The player's living entity: the one from join(), or the last from World::set_player_entity. Null if it was
  // destroyed. During join(): the entity that the account had before if it still exists, else null.
  ecs::Entity entity;
  std::string account{};   // account of the user (Game::account); empty if it has none
  bool spectator = false;  // admitted by spectate()
  Identity identity{};
};

class Game {
 public:
  virtual ~Game() = default;

  /// Returns the binary schema of the game's components: the result of the generated schema_bytes().
  [[nodiscard]] virtual core::ByteView schema() const = 0;

  /// Returns the commands of the game. game/commands.hpp makes the table from the game's own .fbs. Called once.
  virtual CommandTable commands() { return {}; }
  /// Returns the rules that clients predict, which live as long as the game. Null if there are none. The server runs
  /// their step in each tick, after due commands and before tick(). Always the same.
  [[nodiscard]] virtual const prediction::Rules* rules() const { return nullptr; }
  /// Returns the spawners of level columns that are not components of the schema. Schema components need one if
  /// spawning takes more than a copy of their bytes. Called once.
  [[nodiscard]] virtual resource::SpawnerTable spawners() const { return {}; }
  /// Returns the visibility layers; an entity's Relevance names one of them. Without layers every client sees every
  /// entity. An entity is seen with all its Parents or not at all. Called once.
  [[nodiscard]] virtual std::vector<Layer> layers() const { return {}; }
  /// Returns the game's own visibility rule, which lives as long as the game. Null if there is none. Called once.
  [[nodiscard]] virtual const InterestRule* interest_rule() const { return nullptr; }

  /// Returns which past the game rewinds (rewind/rewind.hpp). Nothing if it rewinds none. Called once.
  [[nodiscard]] virtual std::optional<RewindConfig> rewind() const { return std::nullopt; }

  /// Checks whether the game can be played in a level; null if there is none. Called before a level is spawned, and
  /// before another version replaces it. An error refuses the level.
  virtual core::Status check_level(const resource::Resource* /*level*/) { return core::Done{}; }
  /// Starts the game in a new world, after its level has been spawned. Called once. An error ends the start.
  virtual core::Status start(World& /*world*/) { return core::Done{}; }
  /// Continues the game in a restored world. Called once, instead of start. Entities and schema components are
  /// restored, server-only components are not. `saved` holds the bytes of the last save() and is not to be trusted. An
  /// error ends the start.
  virtual core::Status load(World& /*world*/, core::ByteView /*saved*/) { return core::Done{}; }
  /// Returns the state of the game that is not in entities and components. Called for each checkpoint, after the tick's
  /// changes were noted: it fails a check if it creates, destroys or recomposes entities.
  virtual core::Bytes save(const World& /*world*/) { return {}; }
  /// Repairs what the game keeps about entities of the level, after another version of the level has replaced it.
  /// Fields of schema components, viewpoints and players' entities have followed to the successors; server-only
  /// components and the game's own data have not. `change.follow(entity)` maps each kept handle. Removed entities exist
  /// until this returns, so that state can be carried over. If a restored world gets another level, it is called after
  /// load.
  virtual void level_changed(World& /*world*/, const LevelChange& /*change*/) {}
  /// Declares the systems of the game. Called once, after start or load. The server runs and times them in each tick.
  virtual void systems(World& /*world*/, ecs::Schedule& /*schedule*/) {}

  /// Returns the account of an identity; empty if it has none. The server uses it to detect duplicate log-ins, to apply
  /// bans, and to find the account's former entity. Accounts that are not printable UTF-8 are converted to hex with the
  /// prefix 0x. Default: the user data without trailing zeros.
  [[nodiscard]] virtual std::string account(const Identity& identity) const;
  /// Decides whether a client with a valid connect token is admitted. An error refuses it; both logs show its message.
  /// Called again when a player rejoins.
  virtual core::Status authenticate(const Identity& /*identity*/) { return core::Done{}; }
  /// Admits a player. Returns the player's entity, or an error that refuses the player. A null entity is allowed:
  /// World::set_player_entity may give one later.
  virtual core::Result<ecs::Entity> join(World& world, const Player& player) = 0;
  /// Admits a spectator, who has no entity and sends no commands. world.viewer(player.id) controls what they see.
  /// Refuses by default.
  virtual core::Status spectate(World& /*world*/, const Player& /*player*/) {
    return core::Error{"no spectators", "this game does not admit spectators"};
  }
  /// Removes a player or spectator who has left, or was disconnected for longer than the grace time. player.entity is
  /// null if it was destroyed. If the game keeps the entity, join() receives it when the account joins again.
  virtual void leave(World& world, const Player& player) = 0;

  /// Decides whether a player may leave for another world of the cluster (World::send_player). An error keeps it here,
  /// and is logged.
  virtual core::Status may_leave(World& /*world*/, const Player& /*player*/, std::string_view /*target*/) {
    return core::Done{};
  }
  /// Returns the game's own data about a player who leaves for another world, besides its entities. leave() follows,
  /// unless all of it is too large. The entities are destroyed afterwards, if leave() has kept them.
  virtual core::Bytes pack(World& /*world*/, const Player& /*player*/) { return {}; }
  /// Takes in a player from another world, or one whose departure was refused. player.entity is the root of the
  /// player's entities, which exist here now; null if there were none. `data` is that of pack(), and not to be trusted.
  /// The player is disconnected, and join() is called when the client connects. An error keeps the player in the
  /// cluster's record, and is tried again.
  virtual core::Status unpack(World& /*world*/, const Player& /*player*/, core::ByteView /*data*/) {
    return core::Done{};
  }

  /// Receives a message to a living entity of this world (World::messages). Another zone's game may have sent it. A
  /// message is delivered at most once. It is lost with a zone that dies, and with an entity that ends.
  virtual void receive(World& /*world*/, ecs::Entity /*entity*/, core::ByteView /*message*/) {}

  /// Completes an entity that a step has spawned for a player's command, after the step. The entity has a Relevance
  /// with the player as owner. Not called for an entity that the same step has destroyed.
  virtual void step_spawned(World& /*world*/, ecs::Entity /*entity*/, std::uint32_t /*player*/) {}
  /// Receives an effect of a step, after the step, in the order in which they were emitted. Clients that predict it
  /// begin it themselves; the game sends events to others. The payload is valid during the call.
  virtual void effect(World& /*world*/, const prediction::Effect& /*effect*/) {}
  /// Called each tick before the systems run. WorldTransforms are the previous tick's until
  /// world.hierarchy().update().
  virtual void tick(World& /*world*/) {}
};

}  // namespace mobula::server

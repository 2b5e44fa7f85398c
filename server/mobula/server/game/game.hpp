// What a team writes: the rules. The server owns world, sessions and replication and calls
// these hooks, all on the simulation thread. Components that the schema describes are mirrored by themselves to every
// client that may see them. What is no state, a game tells through world.events().
//
// Once:        schema, commands, spawners, layers, interest_rule; then check_level, and
//              start in a new world or load in one that was saved; then systems
// Of players:  authenticate, then join or spectate; their commands; leave
// Each tick:   commands that are due, tick, the systems; with each checkpoint save
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/schedule.hpp>
#include <mobula/server/game/command_table.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/interest.hpp>
#include <mobula/transport/connect_token.hpp>
#include <string>
#include <vector>

namespace mobula::server {

// Who somebody is, as the backend that made the connect token says.
using Identity = transport::Identity;

struct Player {
  std::uint32_t id = 0;  // unique as long as the world lives
  std::string name;      // as the client gave it: printable, not unique, perhaps empty
  // What join() gave. While join() is asked: what the player's account had before, if that still lives, else null.
  ecs::Entity entity;
  std::string account{};   // whose log-in it is (Game::account); empty: nobody can tell
  bool spectator = false;  // came by spectate()
  Identity identity{};
};

class Game {
 public:
  virtual ~Game() = default;

  // The binary schema of the game's components, as the generated schema_bytes() gives it.
  [[nodiscard]] virtual core::ByteView schema() const = 0;

  // What players may ask for. server/mobula/server/game/commands.hpp makes the table of the game's own .fbs. Asked
  // once.
  virtual CommandTable commands() { return {}; }
  // How columns that are no components of the schema are checked and spawned, and schema components that need more than
  // their bytes. Asked once.
  [[nodiscard]] virtual resource::SpawnerTable spawners() const { return {}; }
  // Who sees what from how far: an entity's Relevance names one of them. Without any everybody sees everything. Asked
  // once.
  [[nodiscard]] virtual std::vector<Layer> layers() const { return {}; }
  // The game's own rule about who sees what; null: none. It lives as long as the game. Asked once.
  [[nodiscard]] virtual const InterestRule* interest_rule() const { return nullptr; }

  // Whether the game can be played in a level, which is null if there is none. Asked before the first is spawned, and
  // before another version takes its place.
  virtual core::Status check_level(const resource::Resource* /*level*/) { return core::Done{}; }
  // Once, when a new world's level has been spawned. Fails if the game cannot be played in this world.
  virtual core::Status start(World& /*world*/) { return core::Done{}; }
  // Instead of start, when a saved world has been restored, with all its entities and schema components: local
  // components are gone. The bytes are those of the last save(), and not to be trusted. Fails if it cannot go on.
  virtual core::Status load(World& /*world*/, core::ByteView /*saved*/) { return core::Done{}; }
  // What the game itself must keep of the world besides entities and components. Between ticks, with each checkpoint.
  virtual core::Bytes save(const World& /*world*/) { return {}; }
  // What moves the world on. Once, after start or load; the server runs and times the systems in each tick.
  virtual void systems(World& /*world*/, ecs::Schedule& /*schedule*/) {}

  // Whose log-in a token is; empty: nobody can tell. By it the server knows that two are the same person's, who is
  // banned, and whose entity it was. What is not printable UTF-8 it takes in hex, with 0x before it. By default: the
  // user data without the zeros at its end.
  [[nodiscard]] virtual std::string account(const Identity& identity) const;
  // Somebody with a valid connect token wants in: a reason to refuse them, which both logs show. Asked again when a
  // player comes back.
  virtual core::Status authenticate(const Identity& /*identity*/) { return core::Done{}; }
  // A player comes in: gives the entity that is theirs, or a reason to refuse them.
  virtual core::Result<ecs::Entity> join(World& world, const Player& player) = 0;
  // Somebody wants to look on, without an entity and without commands; world.viewer(player.id) says what they see. By
  // default the game is not for spectators.
  virtual core::Status spectate(World& /*world*/, const Player& /*player*/) {
    return core::Error{"no spectators", "this game has no place for spectators"};
  }
  // A player or a spectator has gone, or was away for too long; the entity is still there unless the game destroyed it.
  // If it stays, join() is told of it when the same account comes again.
  virtual void leave(World& world, const Player& player) = 0;

  // What is no system, before the systems of each tick. WorldTransforms are those of the tick's beginning until
  // world.hierarchy().update().
  virtual void tick(World& /*world*/) {}
};

}  // namespace mobula::server

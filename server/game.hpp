// What a team writes: the rules. The server owns world, sessions and replication and calls
// these hooks, all on the simulation thread. Components that the schema describes are mirrored by themselves to every
// client that may see them. What is no state, a game tells through world.events().
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/server/command_buffer.hpp>
#include <mobula/server/interest.hpp>
#include <mobula/server/world.hpp>
#include <mobula/transport/connect_token.hpp>
#include <string>
#include <vector>

namespace mobula::server {

// Who somebody is, as the backend that made the connect token says.
using Identity = transport::Identity;

struct Player {
  std::uint32_t id = 0;  // unique while the server runs
  std::string name;      // as the client gave it: printable, not unique, perhaps empty
  ecs::Entity entity;    // what join() gave
  Identity identity{};
};

class Game {
 public:
  virtual ~Game() = default;

  // The binary schema of the game's components, as the generated schema_bytes() gives it.
  [[nodiscard]] virtual core::ByteView schema() const = 0;

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
  // Once, when the level has been spawned. Fails if the game cannot be played in this world.
  virtual core::Status start(World& /*world*/) { return core::Done{}; }
  // Somebody with a valid connect token wants in: a reason to refuse them, which both logs show. Asked again when a
  // player comes back.
  virtual core::Status authenticate(const Identity& /*identity*/) { return core::Done{}; }
  // A player comes in: gives the entity that is theirs, or a reason to refuse them.
  virtual core::Result<ecs::Entity> join(World& world, const Player& player) = 0;
  // A player has gone, or was away for too long; the entity is still there unless the game destroyed it.
  virtual void leave(World& world, const Player& player) = 0;
  // A player asks for something. The bytes are as hostile as they come: refuse what is malformed or not
  // allowed, having changed nothing. Refusals are counted by reason. The context tells the moment that the player was
  // looking at.
  virtual core::Status command(World& /*world*/, const Player& /*player*/, core::ByteView /*command*/,
                               const CommandContext& /*context*/) {
    return core::Error{"unknown command", "this game knows no commands"};
  }
  // Moves the world on by one tick. WorldTransforms are those of its beginning until world.hierarchy().update().
  virtual void tick(World& world) = 0;
};

}  // namespace mobula::server

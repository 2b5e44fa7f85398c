// Facts of a saved world besides its entities: tick, players, level, data of the game. The server fills them, the store
// keeps them.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/pool.hpp>
#include <string>
#include <vector>

namespace mobula::store {

/// The world's level. Immutable; a change replaces it.
struct SavedLevel {
  core::Bytes file;                   // the compiled resource
  ecs::EntityRange range;             // its entities; empty if they were not spawned at once
  std::vector<ecs::Entity> entities;  // by entity of the file; null if it was destroyed
  std::vector<std::string> paths;     // paths of the entities, for people
  std::vector<std::string> names;     // texts behind string ids, for people
};

/// A known player: one in the world, or one whose account still has an entity there.
struct SavedPlayer {
  std::uint32_t id = 0;  // 0 if not in the world
  std::string name;
  std::string account;  // identifies the user across sessions
  ecs::Entity entity;
  bool present = false;  // in the world at the save
};

struct Facts {
  ecs::Tick tick = 0;           // last complete tick
  std::uint64_t unix_time = 0;  // seconds
  core::Random::State random{};
  std::uint32_t next_player = 1;
  std::vector<SavedPlayer> players;         // unique by (id, account)
  core::Bytes game;                         // opaque data of the game
  core::Bytes crossings;                    // opaque crossings to and from other worlds; empty without a cluster
  std::shared_ptr<const SavedLevel> level;  // null if there is none
};

}  // namespace mobula::store

// What a save has of a world besides its entities' components. Plain data: the server fills it, the store keeps it.
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

// The level as it lives in the world. Immutable: another one takes its place.
struct SavedLevel {
  core::Bytes file;                   // the compiled resource
  ecs::EntityRange range;             // if all of it was spawned at once; else empty
  std::vector<ecs::Entity> entities;  // by entity of the file; null where there is none any more
  std::vector<std::string> paths;     // beside them, for people
  std::vector<std::string> names;     // texts of hashes, for people
};

// A player whom the world knows: one who is in it, or whose account still has an entity there.
struct SavedPlayer {
  std::uint32_t id = 0;  // 0: not in the world
  std::string name;
  std::string account;  // whose log-in it is
  ecs::Entity entity;
  bool present = false;  // in the world when it was saved
};

struct Facts {
  ecs::Tick tick = 0;           // the last that is over
  std::uint64_t unix_time = 0;  // seconds
  core::Random::State random{};
  std::uint32_t next_player = 1;
  std::vector<SavedPlayer> players;         // id and account tell them apart
  core::Bytes game;                         // what the game keeps besides
  std::shared_ptr<const SavedLevel> level;  // null: there is none
};

}  // namespace mobula::store

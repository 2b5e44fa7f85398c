// Changes of the entities that a prediction has spawned, for programs that show them. An entity is identified by its
// command and ordinal, since a replay may give its handle to another one.
#pragma once

#include <mobula/client/prediction/predicted_set.hpp>

namespace mobula::client {

/// A change of a local entity.
struct SpawnNotice {
  enum class Kind : std::uint8_t {
    spawned,   ///< A step has spawned it.
    matched,   ///< The server has spawned it: it continues under the handle `real`.
    vanished,  ///< It is destroyed, or the server has not spawned it.
  };

  Kind kind = Kind::spawned;
  ecs::Entity local;
  ecs::Entity real;  ///< Null unless matched.
  engine::SpawnKey key;
};

class PredictedSpawns {
 public:
  /// Begins the list of notices anew.
  void clear_notices() { notices_.clear(); }
  /// Notes that local entities are about to continue as the server's.
  void on_matched(std::span<const MatchedSpawn> matched);
  /// Compares the local entities with those of the last call.
  void update(const PredictedSet& set);
  /// Ends all local entities.
  void clear();
  [[nodiscard]] std::span<const SpawnNotice> notices() const { return notices_; }
  /// Returns the local entities: their handles and SpawnKeys.
  struct Local {
    ecs::Entity entity;
    engine::SpawnKey key;
  };
  [[nodiscard]] std::span<const Local> locals() const { return locals_; }

 private:
  std::vector<Local> locals_;
  std::vector<Local> before_;
  std::vector<SpawnNotice> notices_;
};

}  // namespace mobula::client

// A difference between a predicted tick and the server's, as a developer wants to see it.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <string>

namespace mobula::client {

/// A misprediction.
struct Misprediction {
  /// The explanation. `level`: a step read another level than the server's, which the client did not have.
  enum class Cause : std::uint8_t { late_command, level, remote };

  ecs::Tick tick = 0;  ///< 0 if there was none.
  Cause cause = Cause::late_command;
  ecs::Entity entity;               ///< The first that differs.
  ecs::PoolId pool = ecs::no_pool;  ///< In the mirror; no_pool if one side lacks the entity.
  core::Bytes predicted{};          ///< Component; empty without a pool.
  core::Bytes authoritative{};
};

/// Returns tick, entity, cause, and the fields that differ with both values: "tick 31, entity 4.1, remote:
/// Body.position.x is 2, predicted 1.5".
std::string describe(const Misprediction& misprediction, const Mirror& mirror);

}  // namespace mobula::client

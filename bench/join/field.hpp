// Game of the join table: a field of crates that nothing changes after the start.
#pragma once

#include <mobula/resource/resource.hpp>
#include <mobula/server/game/game.hpp>

#include "join/join_bench.hpp"

namespace mobula::bench {

// Compiles a level with `objects` crates in rows. Errors: "bad level".
core::Result<std::shared_ptr<const resource::Resource>> compile_field(std::uint32_t objects);

class Field final : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
};

// Moves and destroys the case's share of the entities, spread over the level. Called between two ticks.
void disturb(server::World& world, const JoinCase& join, std::uint64_t seed);

}  // namespace mobula::bench

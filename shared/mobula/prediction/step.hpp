// One run of a step: what a PredictedWorld stands over, as plain data. The server fills it for its world, a client for
// its prediction. All pointers outlive the run.
#pragma once

#include <cstdint>
#include <mobula/prediction/effect.hpp>
#include <mobula/prediction/predicted_types.hpp>
#include <mobula/prediction/rules.hpp>
#include <mobula/resource/resource.hpp>
#include <span>
#include <vector>

namespace mobula::prediction {

/// An entity that a step has spawned for a player's command. Both sides count the command's entities in the same order,
/// so a client finds its own by command and ordinal.
struct Spawned {
  ecs::Entity entity;
  std::uint32_t player = 0;
  std::uint32_t command = 0;  // its number
  std::uint8_t ordinal = 0;   // 0 for the command's first entity
};

/// Entities that a client steps, and the handles of those that its steps spawn. The registry may have more entities:
/// those are hidden from the step, as after a predicted destruction.
struct SteppedEntities {
  std::vector<ecs::Entity> alive;  // ascending by index
  ecs::Entity next_local;          // handle of the next spawned entity; its index is greater than all in `alive`
};

/// Memory of a PredictedWorld between runs.
struct StepScratch {
  std::vector<ecs::Entity> gathered;  // entities of the iterations in progress, one iteration after the other
};

/// Everything that a step runs over.
struct StepContext {
  ecs::Registry* registry = nullptr;      // entities that are stepped
  const PredictedTypes* types = nullptr;  // those of `registry`
  // Entities that are not stepped but read: a client's mirror. On the server of a zone the registry itself, which has
  // ghosts. Null on other servers.
  const ecs::Registry* visible = nullptr;
  SteppedEntities* stepped = nullptr;         // null on servers, which step all entities of the registry
  const resource::Resource* level = nullptr;  // null without a level
  bool* level_is_read = nullptr;              // set to true once the step looks for a static; may be null
  std::uint64_t seed = 0;                     // World::prediction_seed()
  std::uint32_t ticks_per_second = 20;
  EffectList* effects = nullptr;            // receives the effects
  std::vector<Spawned>* spawned = nullptr;  // receives the spawned entities
  StepScratch* scratch = nullptr;
};

/// Runs the step of a tick. Replaces the contents of `effects` and `spawned`. `commands` ascend by player and number.
void run_step(const Rules& rules, const StepContext& context, ecs::Tick tick, std::span<const Command> commands);

}  // namespace mobula::prediction

#include <algorithm>
#include <cstring>
#include <mobula/core/log.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/predicted_step.hpp>

namespace mobula::server {

core::Result<PredictedStep> PredictedStep::make(const World& world, const prediction::Rules* rules) {
  PredictedStep step(rules);
  if (rules == nullptr) return step;
  MOBULA_CHECK(rules->step != nullptr, "Game::rules() returns rules without a step");
  core::Result<prediction::PredictedTypes> types =
      prediction::PredictedTypes::resolve(world.registry(), world.schema(), *rules);
  if (!types) return types.error();
  step.types_.emplace(std::move(*types));
  return step;
}

void PredictedStep::queue(std::uint32_t player, std::uint32_t number, core::ByteView bytes) {
  const auto first = static_cast<std::uint32_t>(pieces_.size());
  const auto arrival = static_cast<std::uint32_t>(queue_.size());
  pieces_.resize(first + (bytes.size() + sizeof(Piece) - 1) / sizeof(Piece));
  if (!bytes.empty()) std::memcpy(pieces_.data() + first, bytes.data(), bytes.size());
  queue_.push_back({player, number, arrival, first, static_cast<std::uint32_t>(bytes.size())});
}

// A handler of this tick may have taken the player's entity since the command was queued.
void PredictedStep::make_commands(const World& world) {
  std::ranges::sort(queue_);
  commands_.clear();
  for (const Queued& queued : queue_) {
    const ecs::Entity entity = world.player_entity(queued.player);
    if (!entity) {
      ++stats_.dropped;
      continue;
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(pieces_.data() + queued.first);
    commands_.push_back({queued.player, entity, queued.number, {bytes, queued.size}});
  }
  stats_.commands += commands_.size();
}

void PredictedStep::run(World& world, Game& game) {
  if (!types_) return;
  make_commands(world);
  {
    const core::LogScope about({.running = "Rules::step"});
    const prediction::StepContext context{.registry = &world.registry(),
                                          .types = &*types_,
                                          .visible = world.zone() ? &world.registry() : nullptr,
                                          .level = world.level(),
                                          .seed = world.prediction_seed(),
                                          .ticks_per_second = world.ticks_per_second(),
                                          .effects = &effects_,
                                          .spawned = &spawned_,
                                          .scratch = &scratch_};
    prediction::run_step(*rules_, context, world.tick(), commands_);
  }
  queue_.clear();
  pieces_.clear();
  give_spawned(world, game);
  give_effects(world, game);
}

// A SpawnKey is sent to the owner alone, so the entity needs one.
void PredictedStep::give_spawned(World& world, Game& game) {
  const core::LogScope about({.running = "Game::step_spawned"});
  stats_.spawned += spawned_.size();
  for (const prediction::Spawned& each : spawned_) {
    if (!world.registry().valid(each.entity)) continue;  // destroyed in the same step
    Relevance* relevance = world.registry().try_get<Relevance>(each.entity);
    if (relevance == nullptr) relevance = &world.registry().add<Relevance>(each.entity);
    relevance->owner = each.player;
    game.step_spawned(world, each.entity, each.player);
  }
}

void PredictedStep::give_effects(World& world, Game& game) {
  const core::LogScope about({.running = "Game::effect"});
  stats_.effects += effects_.size();
  for (std::size_t i = 0; i < effects_.size(); ++i) game.effect(world, effects_.at(i));
}

void PredictedStep::note_time(core::Nanoseconds took, std::uint32_t ticks_per_second) {
  const core::Nanoseconds period = core::second / ticks_per_second;
  if (took <= period) return;
  ++stats_.overruns;
  core::log_warn("server", "the step of the rules took {} ms; a tick has {} ms", took / core::millisecond,
                 period / core::millisecond);
}

}  // namespace mobula::server

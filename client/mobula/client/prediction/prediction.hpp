// Prediction: runs the game's rules ahead of the server, so that the player's commands take effect at once.
//
//   reconciled         complete               predicted          target
//   ──────●────────────────●──────────────────────●─────────────────●───►  ticks
//         └─ compared with the mirror ┘└─ predicted ┘└─ input delay ┘
//
// It keeps a snapshot of each tick. Once the mirror is complete at a tick, the prediction of that tick is compared with
// it, in exact values. If they are equal, the tick is reconciled. If not, all predicted entities are returned to the
// mirror's values and the later ticks are computed again. Before that, the ticks since the last reconciled one are
// computed again with the commands that the server did run. If that gives the mirror's values, late commands explain
// the misprediction. Otherwise a level does that the steps read and the client lacked, or something remote.
//
// Steps read the level that the server reads in their tick (offered_levels.hpp). Once the client has it, the ticks that
// were computed with another one are computed again.
//
// A program calls update() after each Connection::update, and sample() for what it shows.
//
// An update is a sequence of phases. Each hands out ticks to step, one by one, and then decides the next phase:
//
//   new level ──► new commands ──► catching up ──┬─────────── equal ────────────────┬──► advancing ──► idle
//                                                └─► verifying ──► replaying ───────┘
//
// update() steps them with the compiled-in rules. A program whose rules are written in another language takes them from
// next_tick() instead.
#pragma once

#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/prediction/effect_table.hpp>
#include <mobula/client/prediction/misprediction.hpp>
#include <mobula/client/prediction/predicted_spawns.hpp>
#include <mobula/client/prediction/prediction_reporter.hpp>
#include <mobula/client/prediction/shown_state.hpp>
#include <mobula/client/prediction/step_levels.hpp>
#include <mobula/client/prediction/wanted_entities.hpp>
#include <optional>

namespace mobula::client {

/// A tick that is to be stepped.
struct DueTick {
  ecs::Tick tick = 0;
  bool replayed = false;                            ///< It was computed before.
  std::span<const prediction::Command> commands{};  ///< Those of the player that run in it.
  prediction::StepContext context{};                ///< For its PredictedWorld. Its lists are empty.
};

class Prediction {
 public:
  /// All must outlive it. The connection's config has the schema that the rules are compiled with. Rules without a step
  /// are those of a program that takes ticks from next_tick(). It needs no schema, as it finds components by name.
  Prediction(const prediction::Rules& rules, const PredictionConfig& config, Connection& connection);
  Prediction(const Prediction&) = delete;
  Prediction& operator=(const Prediction&) = delete;

  /// Reconciles what has arrived and computes the ticks that are due. Call it after each Connection::update.
  void update(core::Nanoseconds now);
  /// Begins the same for a program that steps the ticks itself. Until next_tick() returns null, the connection is not
  /// used otherwise, and nothing else of the prediction is read.
  void begin_update(core::Nanoseconds now);
  /// Returns the next tick to step, valid until end_tick(). Null once the update is complete.
  [[nodiscard]] const DueTick* next_tick();
  /// Ends the tick that next_tick() has returned, after its step.
  void end_tick();
  /// Returns whether an update has begun and is not complete.
  [[nodiscard]] bool is_updating() const { return phase_ != Phase::idle; }
  /// Ends an update that cannot be completed, as after an exception in a step. Running effects are cancelled. The
  /// prediction begins anew with the next complete tick.
  void abandon_update();
  /// Begins anew with the next complete tick, as the connection has a mirror that continues the former one. The next
  /// update cancels running effects.
  void restart();
  /// Predicts an entity besides the player's own, or ceases to. Takes effect with the next complete tick. The entity
  /// stays as mirrored beyond PredictedSet::members_max entities. So does another player's if a predicted field of it
  /// is owner_only. Both are logged, and counted in PredictionStats::unpredicted_entities.
  void set_predicted(ecs::Entity entity, bool predicted);
  /// Returns whether the entity is predicted at present. Its handle is the server's, or that of a predicted spawn.
  [[nodiscard]] bool is_predicted(ecs::Entity entity) const;
  /// Returns whether a step has destroyed an entity that the mirror still has.
  [[nodiscard]] bool is_destroyed(ecs::Entity entity) const;

  /// Returns whether the prediction is one of the connection's present mirror.
  [[nodiscard]] bool is_current() const { return started_ && connection_.mirror_number() == mirror_number_; }
  /// Returns false until a tick was complete for the first time.
  [[nodiscard]] bool started() const { return started_; }
  /// Returns why nothing is predicted: the schema is not given, or lacks what the rules or the settings
  /// name.
  [[nodiscard]] const std::optional<core::Error>& failure() const { return failure_; }
  /// Returns the newest tick that is predicted, and the newest one that is known to be the server's.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  [[nodiscard]] ecs::Tick reconciled_tick() const { return reconciled_; }
  /// Returns the moment to show, as of the last update.
  [[nodiscard]] const ShownMoment& moment() const { return moment_; }
  /// Writes a component of the mirror's pool as it is to be shown, of predicted and other entities. See ShownState.
  bool sample(ecs::Entity entity, ecs::PoolId pool, const ShownMoment& moment, std::byte* component) const;
  /// Returns the predicted value of the newest tick; null for what is not predicted.
  [[nodiscard]] const std::byte* predicted(ecs::Entity entity, ecs::PoolId pool) const;

  /// Returns what the last update has begun and ended.
  [[nodiscard]] const EffectTable& effects() const { return effects_; }
  /// Returns the entities that steps have spawned and the server has not confirmed, and how they have changed.
  [[nodiscard]] const PredictedSpawns& spawns() const { return spawns_; }
  [[nodiscard]] const PredictionStats& stats() const { return stats_; }
  [[nodiscard]] const Misprediction& last_misprediction() const { return last_; }

 private:
  // State that belongs to one mirror.
  struct Session {
    Session(const Mirror& of, std::unique_ptr<PredictedSet> predicted, const PredictionConfig& config,
            std::uint32_t ticks_per_second);

    const Mirror& mirror;
    std::unique_ptr<PredictedSet> set;
    SnapshotRing ring;
    ShownState shown;
    InputDelay delay;
    StepLevels levels;
  };

  // The reason why ticks are handed out at present.
  enum class Phase : std::uint8_t {
    idle,
    new_level,     // computed ticks whose steps have read another level
    new_commands,  // ticks that new commands belong to, though they are computed
    catching_up,   // ticks up to the complete one: the clock is behind
    verifying,     // ticks up to the complete one, with the commands that the server has run
    replaying,     // ticks after the complete one, from the mirror's values
    advancing,     // ticks that are due
  };
  // The tick that an update reconciles.
  struct Reconciliation {
    ecs::Tick complete = 0;
    ecs::Tick wrong = 0;  // first tick with other commands than the server's; CommandTimeline::never if there is none
    ecs::Tick last = 0;   // the newest tick that is computed again
    bool mispredicted = false;
  };

  bool follow_mirror();
  [[nodiscard]] core::Result<std::unique_ptr<PredictedSet>> make_set(const Mirror& mirror) const;
  void end_session();

  void enter(Phase phase, ecs::Tick last) { phase_ = phase, phase_end_ = last; }
  void end_phase();
  void run_new_level();
  void end_new_level();
  void run_new_commands();
  void begin_reconciling();
  void compare();
  void end_verifying();
  void resolve(const SetDifference& difference);
  void end_reconciling();
  void begin_advancing();
  void count_stall(bool continues, core::Nanoseconds passed);
  void end_update();

  void collect();
  void begin_at(ecs::Tick complete);
  void change_members(ecs::Tick complete);
  void follow_matched();
  void adopt(ecs::Tick complete, const SetDifference& difference);
  void note_difference(ecs::Tick complete, const SetDifference& difference);
  void count_misprediction(const SetDifference& difference);
  void count_correction(double distance);
  void finish_reconciled(ecs::Tick complete);
  void return_to(ecs::Tick tick);
  void prepare_tick(ecs::Tick tick);

  const prediction::Rules& rules_;
  PredictionConfig config_;
  Connection& connection_;
  bool cancels_effects_ = false;  // with the next update
  std::uint32_t mirror_number_ = 0;
  std::unique_ptr<Session> session_;  // null without a mirror
  std::optional<core::Error> failure_;
  WantedEntities wanted_;
  std::vector<ecs::Entity> now_wanted_;
  CommandTimeline commands_;
  EffectTable effects_;
  PredictedSpawns spawns_;
  bool started_ = false;
  bool restarted_ = false;  // by the update in progress
  ecs::Tick tick_ = 0;
  ecs::Tick reconciled_ = 0;
  ecs::Tick newest_ = 0;  // the newest tick ever computed: later ones are no replays
  ecs::Tick serial_ = 0;  // number of computed ticks, and tick of the set's registry
  ShownMoment moment_;
  PredictionStats stats_;
  core::Nanoseconds advanced_ = 0;  // time of the last update that was to compute due ticks
  PredictionReporter reporter_;
  Misprediction last_;

  // The update in progress.
  Phase phase_ = Phase::idle;
  ecs::Tick phase_end_ = 0;  // the phase hands out ticks up to this one
  bool stepping_ = false;    // a tick is handed out
  core::Nanoseconds now_ = 0;
  double predicted_ = 0;  // moment of the last tick that is due
  Reconciliation reconciling_;
  DueTick due_;

  // Scratch of a tick.
  prediction::StepScratch scratch_;
  prediction::EffectList step_effects_;
  std::vector<prediction::Spawned> step_spawned_;
  std::vector<RenamedEntity> renamed_;
  std::vector<std::uint32_t> numbers_;
  std::vector<prediction::Command> step_commands_;
};

/// Returns a component as a struct generated from the server's schema. Nothing if the entity does not have it.
template <ecs::SchemaComponent T>
std::optional<T> sample(const Prediction& prediction, const Mirror& mirror, ecs::Entity entity,
                        const ShownMoment& moment) {
  constexpr core::StringId32 id(T::component_name);
  const ecs::PoolId pool = mirror.registry().find_pool(id, id);
  T component{};
  if (pool == ecs::no_pool || mirror.registry().pool(pool).type().size != sizeof(T)) return std::nullopt;
  if (!prediction.sample(entity, pool, moment, reinterpret_cast<std::byte*>(&component))) return std::nullopt;
  return component;
}

}  // namespace mobula::client

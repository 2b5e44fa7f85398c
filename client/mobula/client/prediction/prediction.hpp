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
// the misprediction; otherwise something remote does.
//
// A program calls update() after each Connection::update, and sample() for what it shows.
#pragma once

#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/prediction/effect_table.hpp>
#include <mobula/client/prediction/misprediction.hpp>
#include <mobula/client/prediction/predicted_spawns.hpp>
#include <mobula/client/prediction/prediction_reporter.hpp>
#include <mobula/client/prediction/shown_state.hpp>
#include <optional>

namespace mobula::client {

class Prediction {
 public:
  /// All must outlive it. The connection's config has the schema that the rules are compiled with.
  Prediction(const prediction::Rules& rules, const PredictionConfig& config, Connection& connection);
  Prediction(const Prediction&) = delete;
  Prediction& operator=(const Prediction&) = delete;

  /// Reconciles what has arrived and computes the ticks that are due. Call it after each Connection::update.
  void update(core::Nanoseconds now);
  /// Predicts an entity besides the player's own, or ceases to. Takes effect with the next complete tick.
  void set_predicted(ecs::Entity entity, bool predicted);
  /// Returns whether the entity is predicted at present. Its handle is the server's, or that of a predicted spawn.
  [[nodiscard]] bool is_predicted(ecs::Entity entity) const;
  /// Returns whether a step has destroyed an entity that the mirror still has.
  [[nodiscard]] bool is_destroyed(ecs::Entity entity) const;

  /// Returns false until a tick was complete for the first time.
  [[nodiscard]] bool started() const { return started_; }
  /// Returns why nothing is predicted: the schema is not given, or lacks what the rules name.
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
  };

  bool follow_mirror();
  [[nodiscard]] core::Result<std::unique_ptr<PredictedSet>> make_set(const Mirror& mirror) const;
  // Returns whether the session's mirror still exists.
  [[nodiscard]] bool is_current() const { return started_ && connection_.mirror_number() == mirror_number_; }
  void end_session();
  void advance(core::Nanoseconds now);
  void collect();
  void begin_at(ecs::Tick complete);
  void reconcile(ecs::Tick complete);
  [[nodiscard]] SetDifference verify(ecs::Tick complete, ecs::Tick wrong);
  void run_new_commands();
  void change_members(ecs::Tick complete);
  void adopt(ecs::Tick complete, const SetDifference& difference);
  void note_difference(ecs::Tick complete, const SetDifference& difference);
  void count_misprediction(bool remote);
  void finish_reconciled(ecs::Tick complete);
  void replay_from(ecs::Tick tick, ecs::Tick last);
  void run_tick(ecs::Tick tick);

  const prediction::Rules& rules_;
  PredictionConfig config_;
  Connection& connection_;
  std::uint32_t mirror_number_ = 0;
  std::unique_ptr<Session> session_;  // null without a mirror
  std::optional<core::Error> failure_;
  std::vector<ecs::Entity> wanted_;   // set_predicted
  std::vector<ecs::Entity> spawned_;  // matched with local entities
  std::vector<ecs::Entity> now_wanted_;
  CommandTimeline commands_;
  EffectTable effects_;
  PredictedSpawns spawns_;
  bool started_ = false;
  ecs::Tick tick_ = 0;
  ecs::Tick reconciled_ = 0;
  ecs::Tick newest_ = 0;  // the newest tick ever computed: later ones are no replays
  ecs::Tick serial_ = 0;  // number of computed ticks, and tick of the set's registry
  ShownMoment moment_;
  PredictionStats stats_;
  PredictionReporter reporter_;
  Misprediction last_;

  // Scratch of run_tick.
  prediction::StepScratch scratch_;
  prediction::EffectList step_effects_;
  std::vector<prediction::Spawned> step_spawned_;
  std::vector<RenamedEntity> renamed_;
  std::vector<std::uint32_t> due_;
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

// Components as they are to be shown: of predicted entities between two predicted ticks, of others between two states
// of the mirror. Corrections, and changes from one to the other, are smoothed.
#pragma once

#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/client/prediction/predicted_set.hpp>
#include <mobula/client/prediction/shown_errors.hpp>

namespace mobula::client {

/// Moment to show: of predicted entities one tick, of the others an earlier one.
struct ShownMoment {
  double predicted = 0;
  double view = 0;  // ServerClock::view_tick
};

class ShownState {
 public:
  /// All must outlive it.
  ShownState(const Mirror& mirror, const PredictedSet& set, const SnapshotRing& ring, const PredictionConfig& config,
             std::uint32_t ticks_per_second);

  /// Writes a component of the mirror's pool into `component`, which has the size of its type. Returns false if the
  /// entity does not have it at that moment, or is destroyed in the prediction.
  bool sample(ecs::Entity entity, ecs::PoolId pool, const ShownMoment& moment, std::byte* component) const;
  /// Notes what is shown at a moment, before the prediction is corrected.
  void capture(const ShownMoment& moment);
  /// Compares with what was captured. The moment is the same, or after a pause a later one. From now on the differences
  /// decay. Returns the greatest distance by which a position was corrected.
  double correct(const ShownMoment& moment);
  void drop_errors(double moment) { errors_.drop(moment); }

 private:
  struct Captured {
    ecs::Entity entity;
    std::uint32_t place = 0;  // its pool's among the predicted ones
    std::size_t first = 0;    // byte
  };
  struct CapturedLocal {
    ecs::Entity entity;
    engine::SpawnKey key;
  };
  // Snapshots around a moment; `later` is null at a tick.
  struct Around {
    const SnapshotRing::Snapshot* earlier = nullptr;
    const SnapshotRing::Snapshot* later = nullptr;
    double part = 0;
  };

  void find_position(const PredictionConfig& config);
  [[nodiscard]] Around around(double moment) const;
  [[nodiscard]] const std::byte* row(const SnapshotRing::Snapshot& snapshot, std::size_t place,
                                     ecs::Entity entity) const;
  bool sample_predicted(ecs::Entity entity, std::size_t place, double moment, std::byte* component) const;
  [[nodiscard]] bool is_cut(const Around& around, ecs::Entity entity) const;
  void blend(std::size_t place, const std::byte* later, double part, std::byte* component) const;
  void rename_locals();
  void correct_captured(const Captured& before, const ShownMoment& moment, double& distance);
  void begin_member(ecs::Entity entity, const ShownMoment& moment);
  [[nodiscard]] double distance(const std::byte* a, const std::byte* b) const;

  const Mirror& mirror_;
  const PredictedSet& set_;
  const SnapshotRing& ring_;
  ShownErrors errors_;  // by place among the predicted pools
  double switch_duration_;
  std::size_t position_place_ = PredictedSet::none;
  std::vector<const reflect::Field*> position_fields_;
  std::vector<std::vector<wire::ByteRange>> cuts_;  // by place: fields that are `cut`
  bool has_cuts_ = false;
  double captured_at_ = 0;  // view tick
  std::vector<Captured> captured_;
  std::vector<ecs::Entity> captured_entities_;
  std::vector<CapturedLocal> captured_locals_;
  std::vector<RenamedEntity> renamed_;
  core::Bytes captured_bytes_;
  mutable core::Bytes scratch_;
};

}  // namespace mobula::client

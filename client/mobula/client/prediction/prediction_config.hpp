// Settings and counters of a prediction.
#pragma once

#include <mobula/client/prediction/input_delay.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::reflect {
class Schema;
}

namespace mobula::client {

/// How corrections of a component type are shown.
struct Smoothing {
  std::string component{};  ///< Empty for all types without an entry of their own.
  core::Nanoseconds duration =
      150 * core::millisecond;  ///< Time in which a correction is shown, evenly. 0 disables that.
  /// A component whose position is corrected by more than this is shown at once. Its position are the floats whose
  /// paths begin with PredictionConfig::position_field. Other fields never cause that.
  double snap_distance = 4;
};

/// Settings of a prediction.
struct PredictionConfig {
  bool own_entity = true;  ///< Predicts the player's own entity.
  InputDelayLimits input_delay{};
  std::vector<Smoothing> smoothing{};  ///< Types without an entry have the defaults.
  /// Time for which the difference is shown when an entity begins or ceases to be predicted.
  core::Nanoseconds switch_duration = 300 * core::millisecond;
  /// Floats that PredictionStats measures corrections of: a component, and the beginning of the fields' paths. If its
  /// name is empty, it is the first predicted component with such fields. Snap distances are of the same fields of all
  /// components.
  std::string position_component{};
  std::string position_field = "position";
};

/// Refuses names that are of no predicted component.
core::Status check_names(const PredictionConfig& config, const reflect::Schema& schema);

/// Counters of a prediction. A new mirror does not reset them.
struct PredictionStats {
  std::uint64_t ticks = 0;           ///< Ticks that were computed for the first time.
  std::uint64_t ticks_replayed = 0;  ///< Ticks that were computed again.
  std::uint64_t rollbacks = 0;       ///< Times that a reconciled tick was returned to.
  /// Reconciled ticks whose predicted values were not the server's, because commands ran late or not at all.
  std::uint64_t late_mispredictions = 0;
  /// The same, though all commands ran as predicted: something changed that the client does not predict.
  std::uint64_t remote_mispredictions = 0;
  /// The same, of steps that read another level than the server's: the client does not have that yet.
  std::uint64_t level_mispredictions = 0;
  std::uint64_t restarts = 0;     ///< Times that the prediction began anew after a pause. A new mirror is none.
  std::uint64_t corrections = 0;  ///< Rollbacks and restarts that moved a position.
  double last_correction = 0;     ///< Greatest distance by which the last of them moved a position.
  double greatest_correction = 0;
  double sum_of_corrections = 0;
  std::uint64_t stalls = 0;            ///< Times that the limit of predicted ticks was reached.
  core::Nanoseconds stalled_time = 0;  ///< Time that has passed in stalls.
  std::uint64_t dropped_effects = 0;   ///< Effects that were not begun because too many were running.
  double input_delay = 0;              ///< Ticks between a command and its effect on this client, now, but for stalls.
  std::uint32_t predicted_ticks = 0;   ///< Ticks between the reconciled and the predicted one, now.
  /// Wanted entities in view that are not predicted now: they are too many, or their owner alone has their fields.
  std::uint32_t unpredicted_entities = 0;
};

}  // namespace mobula::client

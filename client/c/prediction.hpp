// The prediction of a client: its rules, and the step that its host is in.
//
//   created ──► idle ──begin_update──► due ──next_step──► in a step ──end_step──► due ──next_step: none──► idle
#pragma once

#include <c/result.hpp>
#include <memory>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::c {

struct HostPrediction {
  /// Returns whether the host steps the ticks, by rules of its own.
  [[nodiscard]] bool host_steps() const { return rules->step == nullptr; }
  /// Makes the prediction for a connection, which must outlive it.
  void connect(client::Connection& connection) {
    prediction = std::make_unique<client::Prediction>(*rules, config, connection);
  }

  std::string reads;             // names that host_rules points to
  prediction::Rules host_rules;  // without a step
  const prediction::Rules* rules = nullptr;
  client::PredictionConfig config;
  std::unique_ptr<client::Prediction> prediction;  // never null

  const client::DueTick* due = nullptr;             // the step that the host is in; null outside of one
  std::optional<prediction::PredictedWorld> world;  // the world of that step

  // Scratch of calls.
  std::vector<ecs::Entity> found;
  std::vector<ecs::PoolId> pools;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> targets;
};

/// Reads options of the interface, null for all defaults. Does not create the prediction.
mobula_result read_prediction_options(const mobula_prediction_options* options, HostPrediction& to);

}  // namespace mobula::c

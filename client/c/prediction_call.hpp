// Entries of calls for a client's prediction, by the state that they need.
#pragma once

#include <c/handles.hpp>

namespace mobula::c {

/// Returns whether an update of the client's prediction is in progress. Its mirror must not change meanwhile.
inline bool is_predicting(const Client& client) {
  return client.prediction != nullptr && client.prediction->prediction->is_updating();
}

mobula_result no_prediction();
mobula_result in_update();
mobula_result no_step();

/// Returns function(Client&, HostPrediction&) for a client that has a prediction.
template <class Function>
mobula_result with_prediction(mobula_client handle, Function&& function) {
  return with_client(handle, [&](Client& client) {
    return client.prediction != nullptr ? function(client, *client.prediction) : no_prediction();
  });
}

/// Does the same if no update is in progress.
template <class Function>
mobula_result with_whole_prediction(mobula_client handle, Function&& function) {
  return with_prediction(handle, [&](Client& client, HostPrediction& own) {
    return own.prediction->is_updating() ? in_update() : function(client, own);
  });
}

/// Does the same for a client that mirrors: function(const client::Mirror&, const client::Prediction&).
template <class Function>
mobula_result with_predicted_mirror(mobula_client handle, Function&& function) {
  return with_whole_prediction(handle, [&](Client& client, const HostPrediction& own) {
    const client::Mirror* const mirror = client.connection->mirror();
    return mirror != nullptr ? function(*mirror, *own.prediction) : no_mirror(client);
  });
}

/// Returns function(Step) within a step.
struct Step {
  const client::Mirror& mirror;
  HostPrediction& own;
  prediction::PredictedWorld& world;
};
template <class Function>
mobula_result with_step(mobula_client handle, Function&& function) {
  return with_prediction(handle, [&](Client& client, HostPrediction& own) -> mobula_result {
    if (own.due == nullptr) return no_step();
    return function(Step{*client.connection->mirror(), own, *own.world});
  });
}

}  // namespace mobula::c

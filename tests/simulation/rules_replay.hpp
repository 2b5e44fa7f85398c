// Reference model of a prediction: the newest complete tick of a mirror, and each later tick computed anew. It keeps
// nothing from one call to the next.
#pragma once

#include <mobula/client/prediction/prediction.hpp>
#include <optional>
#include <string>

namespace mobula::sim {

// Compares what a prediction has with what the rules make of the mirror's newest tick, to which it is reconciled.
// Commands that the server has not reported run in their own tick, or in the first tick after that one. Returns what is
// wrong.
std::optional<std::string> check_by_replay(const client::Connection& connection, const client::Prediction& prediction);

}  // namespace mobula::sim

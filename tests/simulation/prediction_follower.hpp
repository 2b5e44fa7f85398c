// A client that predicts wrongly all the time, beside its connection: its rules move what the server does not move, and
// spawn what the server does not spawn. So each complete tick is corrected, under every fault of a plan.
#pragma once

#include <map>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/random.hpp>
#include <optional>
#include <string>

namespace mobula::sim {

class PredictionFollower {
 public:
  // The connection has the schema of a plan that predicts Transforms.
  PredictionFollower(client::Connection& connection, std::uint64_t seed);

  // Predicts after an update of the connection. Returns what is wrong: predicted values are those of the mirror's last
  // complete tick, moved by the rules in each tick since. Each effect begins once and ends once.
  std::optional<std::string> follow(core::Nanoseconds now);

 private:
  void choose(const client::Mirror& mirror);
  [[nodiscard]] std::optional<std::string> check_effects();
  [[nodiscard]] std::optional<std::string> check_values(const client::Mirror& mirror) const;
  [[nodiscard]] std::optional<std::string> check_value(const client::Mirror& mirror, ecs::Entity entity) const;

  client::Connection& connection_;
  client::Prediction prediction_;
  core::Random random_;
  std::uint32_t mirror_ = 0;
  std::map<std::uint64_t, bool> running_;  // by key of an effect: whether it has not ended
};

}  // namespace mobula::sim

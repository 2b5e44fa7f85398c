// The client of docs/prediction.md.
#pragma once

#include <mobula/client/prediction/prediction.hpp>

namespace mobula::test {

class PredictedPlayer {
 public:
  explicit PredictedPlayer(client::Connection& connection);
  void frame(core::Nanoseconds now, transport::Output& output);
  [[nodiscard]] float x() const { return x_; }
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] const client::Prediction& prediction() const { return prediction_; }

 private:
  client::Connection& connection_;
  client::Prediction prediction_;
  float x_ = 0;
  int steps_ = 0;
};

const prediction::Rules& page_rules();

}  // namespace mobula::test

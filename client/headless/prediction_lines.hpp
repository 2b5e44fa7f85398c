// Counts of a prediction, as lines for people and as members of a line of JSON.
#pragma once

#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/histogram.hpp>
#include <mobula/core/log_limit.hpp>

namespace mobula::client {

class PredictionLines {
 public:
  static constexpr std::uint32_t lines_per_second = 5;

  /// `prediction` and `connection` outlive it.
  PredictionLines(const Prediction& prediction, const Connection& connection)
      : prediction_(prediction), connection_(connection) {}

  /// Notes what an update of the prediction has found. Returns a line about a remote misprediction, whose first
  /// difference is named, or an empty text. At most lines_per_second lines per second.
  std::string note(core::Nanoseconds now);
  /// Returns a line with the counts since the beginning.
  [[nodiscard]] std::string summary() const;
  /// Returns the counts as members of a JSON object, each with a comma before it.
  [[nodiscard]] std::string members() const;

 private:
  [[nodiscard]] double input_delay_ms() const;

  const Prediction& prediction_;
  const Connection& connection_;
  std::uint64_t corrections_ = 0;            // noted
  std::uint64_t remote_mispredictions_ = 0;  // noted
  core::Histogram corrections_um_;
  core::LogLimit limit_{lines_per_second};
};

}  // namespace mobula::client

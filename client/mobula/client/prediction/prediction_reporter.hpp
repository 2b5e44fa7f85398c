// Reports to the server what a prediction has counted, so that operators see how it fares.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <mobula/client/prediction/prediction_config.hpp>
#include <mobula/wire/prediction_report.hpp>

namespace mobula::client {

class PredictionReporter {
 public:
  /// Sends what was counted since the last report, at most once per second. Called once per update of the prediction.
  void update(const PredictionStats& stats, Connection& connection, core::Nanoseconds now);

 private:
  PredictionStats reported_;           // as of the last report
  std::uint64_t noted_ = 0;            // corrections
  double greatest_correction_ = 0;     // since the last report
  core::Nanoseconds next_report_ = 0;  // not before
};

/// Returns the counts between two states of the statistics. Larger counts and distances than a report can have are
/// reduced to the greatest one.
wire::PredictionReport report_of(const PredictionStats& before, const PredictionStats& now, double greatest_correction);

}  // namespace mobula::client

// The numbers of a report, by name. The table in measure.cpp is all there is: --require, --list-measures and the JSON
// follow from it.
#pragma once

#include <bots/report.hpp>
#include <optional>

namespace mobula::client {

// Measures of an interval: of the whole run, or of one step.
struct IntervalMeasure {
  std::string_view name;
  std::string_view help;
  double (*value)(const IntervalStats& interval);  // NaN: nothing was measured
};
// Of a whole run alone.
struct RunMeasure {
  std::string_view name;
  std::string_view help;
  double (*value)(const BotsReport& report);
};

std::span<const IntervalMeasure> interval_measures();
std::span<const RunMeasure> run_measures();

// Of the last step of the ramp, by a name such as "last_step.p99_interval_ms": when all had joined.
inline constexpr std::string_view last_step_prefix = "last_step.";

// NaN: nothing was measured. Nothing: no measure is called that.
std::optional<double> measure(const BotsReport& report, std::string_view name);
bool is_measure(std::string_view name);
// One that is nearly called that, as did_you_mean says it.
std::string nearest_measure(std::string_view name);
// A line for each.
std::string list_measures();

}  // namespace mobula::client

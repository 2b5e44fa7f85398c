// Numbers of a report by name. The table in measure.cpp defines --require, --list-measures and the keys of the JSON.
#pragma once

#include <bots/report.hpp>
#include <optional>

namespace mobula::client {

/// Measure of an interval: of the run, or of one step.
struct IntervalMeasure {
  std::string_view name;
  std::string_view help;
  double (*value)(const IntervalStats& interval);  // NaN if nothing was measured
};
/// Measure of the run only.
struct RunMeasure {
  std::string_view name;
  std::string_view help;
  double (*value)(const BotsReport& report);
};

std::span<const IntervalMeasure> interval_measures();
std::span<const RunMeasure> run_measures();

/// Prefix for measures of the last step of the ramp, such as "last_step.p99_interval_ms". All bots have joined by then.
inline constexpr std::string_view last_step_prefix = "last_step.";

/// Returns a measure. NaN if nothing was measured, nothing if the name is unknown.
std::optional<double> measure(const BotsReport& report, std::string_view name);
bool is_measure(std::string_view name);
/// Returns a suggestion for an unknown name, as did_you_mean formats it.
std::string nearest_measure(std::string_view name);
/// Returns a line per measure.
std::string list_measures();

}  // namespace mobula::client

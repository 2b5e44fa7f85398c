#include <algorithm>
#include <bots/measure.hpp>
#include <cmath>
#include <limits>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

template <core::Histogram IntervalStats::* histogram, double Distribution::* part>
double of(const IntervalStats& interval) {
  return (interval.*histogram).count() == 0 ? none : distribution_ms(interval.*histogram).*part;
}

template <double Distribution::* part>
double correction(const IntervalStats& interval) {
  return interval.corrections_um.count() == 0 ? none : distribution_cm(interval.corrections_um).*part;
}

template <Count kind>
double total(const IntervalStats& interval) {
  return static_cast<double>(interval.counts[kind]);
}

template <Count kind>
double per_bot_second(const IntervalStats& interval) {
  return interval.bots_time == 0 ? none
                                 : total<kind>(interval) * core::second / static_cast<double>(interval.bots_time);
}

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? none : 100 * static_cast<double>(part) / static_cast<double>(all);
}
double loss_in(const IntervalStats& interval) {
  const std::uint64_t lost = interval.counts[Count::losses_in];
  return percent(lost, interval.counts[Count::deltas] + lost);
}
// Losses are noticed later: there may be more of them than datagrams in a short interval.
double loss_out(const IntervalStats& interval) {
  const std::uint64_t sent = interval.counts[Count::session_datagrams_out];
  return percent(std::min(interval.counts[Count::losses_out], sent), sent);
}
double cpu(const IntervalStats& interval) {
  return interval.length == 0 ? none : 100 * static_cast<double>(interval.cpu) / static_cast<double>(interval.length);
}

using S = IntervalStats;
using D = Distribution;
constexpr IntervalMeasure of_intervals[] = {
    {"seconds", "length of the measurement", [](const S& s) { return core::in_seconds(s.length); }},
    {"mean_interval_ms", "time between the arrivals of a bot's ticks", of<&S::intervals_us, &D::mean>},
    {"p50_interval_ms", "… median", of<&S::intervals_us, &D::p50>},
    {"p99_interval_ms", "… 99 of 100", of<&S::intervals_us, &D::p99>},
    {"p999_interval_ms", "… 999 of 1000", of<&S::intervals_us, &D::p999>},
    {"max_interval_ms", "… maximum", of<&S::intervals_us, &D::max>},
    {"mean_join_ms", "time from a bot's first request to its first tick", of<&S::joins_us, &D::mean>},
    {"p50_join_ms", "… median", of<&S::joins_us, &D::p50>},
    {"p99_join_ms", "… 99 of 100", of<&S::joins_us, &D::p99>},
    {"max_join_ms", "… maximum", of<&S::joins_us, &D::max>},
    {"mean_rtt_ms", "round trip, with the time until the server's next tick", of<&S::rtts_us, &D::mean>},
    {"p50_rtt_ms", "… median", of<&S::rtts_us, &D::p50>},
    {"p99_rtt_ms", "… 99 of 100", of<&S::rtts_us, &D::p99>},
    {"max_rtt_ms", "… maximum", of<&S::rtts_us, &D::max>},
    {"bytes_in", "bytes of received datagrams", total<Count::bytes_in>},
    {"bytes_out", "sent", total<Count::bytes_out>},
    {"bytes_in_per_bot_second", "bytes received per bot and second", per_bot_second<Count::bytes_in>},
    {"bytes_out_per_bot_second", "bytes sent per bot and second", per_bot_second<Count::bytes_out>},
    {"datagrams_in", "received", total<Count::datagrams_in>},
    {"datagrams_out", "sent", total<Count::datagrams_out>},
    {"loss_in_percent", "share of the server's deltas that never arrived", loss_in},
    {"loss_out_percent", "share of the bots' datagrams that the server never acknowledged", loss_out},
    {"verified_ticks", "ticks in which a mirror matched the server", total<Count::verified_ticks>},
    {"mismatches", "ticks in which it did not", total<Count::mismatches>},
    {"corrections", "corrections of mirrors by the server", total<Count::corrections>},
    {"events", "events received by bots that mirror", total<Count::events>},
    {"commands", "given", total<Count::commands>},
    {"commands_twice", "executed twice by the server, as far as bots with the behaviour count see it",
     total<Count::commands_twice>},
    {"joins", "worlds entered, including reconnections", total<Count::joins>},
    {"rejoins", "… as the same player", total<Count::rejoins>},
    {"leaves", "departures by the bot's choice, of any kind", total<Count::leaves>},
    {"predicted_ticks", "ticks that bots have predicted (--predict)", total<Count::predicted_ticks>},
    {"replayed_ticks", "… computed again", total<Count::replayed_ticks>},
    {"rollbacks", "returns to an earlier tick", total<Count::rollbacks>},
    {"late_mispredictions", "mispredicted ticks that late commands explain", total<Count::late_mispredictions>},
    {"remote_mispredictions", "other mispredicted ticks", total<Count::remote_mispredictions>},
    {"level_mispredictions", "mispredicted ticks of steps that read another level", total<Count::level_mispredictions>},
    {"prediction_stalls", "times that a bot could predict no further", total<Count::prediction_stalls>},
    {"mean_correction_cm", "distance by which a rollback moved a position", correction<&D::mean>},
    {"p50_correction_cm", "… median", correction<&D::p50>},
    {"p99_correction_cm", "… 99 of 100", correction<&D::p99>},
    {"max_correction_cm", "… maximum", correction<&D::max>},
    {"mean_input_delay_ms", "time between a command and its effect on the bot", of<&S::input_delays_us, &D::mean>},
    {"mean_lag_ms", "delay of the bots' own loop", of<&S::lags_us, &D::mean>},
    {"p99_lag_ms", "… 99 of 100", of<&S::lags_us, &D::p99>},
    {"max_lag_ms", "… maximum", of<&S::lags_us, &D::max>},
    {"cpu_percent", "CPU time of the bots, in percent of one core", cpu},
};

constexpr RunMeasure of_runs[] = {
    {"clients", "number of bots", [](const BotsReport& r) { return static_cast<double>(r.clients); }},
    {"joined", "bots that joined at least once", [](const BotsReport& r) { return static_cast<double>(r.joined); }},
    {"lost", "bots that should have been playing at the end, but were out or silent",
     [](const BotsReport& r) { return static_cast<double>(r.lost); }},
    {"refusals", "connections that were not made",
     [](const BotsReport& r) { return static_cast<double>(r.refusals.total()); }},
    {"disconnects", "connections that were lost, not by the bot's choice",
     [](const BotsReport& r) { return static_cast<double>(r.disconnects.total()); }},
    {"token_failures", "requests for connect tokens that failed",
     [](const BotsReport& r) { return static_cast<double>(r.token_failures); }},
};

// Finds a measure with or without the prefix.
const IntervalMeasure* find_in_interval(std::string_view name) {
  if (name.starts_with(last_step_prefix)) name.remove_prefix(last_step_prefix.size());
  const auto found = std::ranges::find(of_intervals, name, &IntervalMeasure::name);
  return found == std::end(of_intervals) ? nullptr : found;
}

}  // namespace

std::span<const IntervalMeasure> interval_measures() { return of_intervals; }
std::span<const RunMeasure> run_measures() { return of_runs; }

bool is_measure(std::string_view name) {
  if (!name.starts_with(last_step_prefix) && std::ranges::find(of_runs, name, &RunMeasure::name) != std::end(of_runs))
    return true;
  return find_in_interval(name) != nullptr;
}

std::optional<double> measure(const BotsReport& report, std::string_view name) {
  if (const IntervalMeasure* found = find_in_interval(name)) {
    if (!name.starts_with(last_step_prefix)) return found->value(report.whole);
    return report.steps.empty() ? none : found->value(report.steps.back().measured);
  }
  const auto of_run = std::ranges::find(of_runs, name, &RunMeasure::name);
  if (of_run == std::end(of_runs)) return std::nullopt;
  return of_run->value(report);
}

std::string nearest_measure(std::string_view name) {
  std::vector<std::string> names;
  for (const RunMeasure& each : of_runs) names.emplace_back(each.name);
  for (const IntervalMeasure& each : of_intervals) names.emplace_back(each.name);
  for (const IntervalMeasure& each : of_intervals) names.push_back(std::string(last_step_prefix).append(each.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  return core::did_you_mean(name, views);
}

std::string list_measures() {
  std::string list;
  for (const RunMeasure& each : of_runs) list += core::format("{:<26}{}\n", each.name, each.help);
  for (const IntervalMeasure& each : of_intervals) list += core::format("{:<26}{}\n", each.name, each.help);
  list += core::format("\n{0}NAME: a measure from 'seconds' on, for the last step of --ramp only: {0}p99_interval_ms\n",
                       last_step_prefix);
  return list;
}

}  // namespace mobula::client

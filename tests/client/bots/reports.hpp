// Reports as a run makes them.
#pragma once

#include <bots/report.hpp>
#include <cmath>
#include <limits>

namespace mobula::test {

inline client::BotsReport empty_report() { return {}; }

// 20 bots for 10 s: intervals of 1 to 100 ms, one of 20 lost. The second of its two steps is the better one.
inline client::BotsReport some_report() {
  using client::Count;
  client::BotsReport report;
  report.info = {.command_line = "mobula-bots --connect '<there>' --clients 20",
                 .server = "127.0.0.1:7777",
                 .behaviours = "wander=70,churn=30",
                 .simulated = "",
                 .version = "0.2.0",
                 .seed = 5,
                 .began_at = 1'700'000'000};
  report.clients = 20;
  report.verify = 20;
  report.joined = 19;
  report.lost = 1;
  report.first_loss = "timed out";
  report.disconnects.add("timed out");
  report.refusals.add("server full: <no> room & \"none\"");
  report.mirrors = 19;
  report.entities_min = 30;
  report.entities_max = 40;
  client::IntervalStats interval;
  interval.length = 5 * core::second;
  interval.cpu = core::second;
  interval.bots_time = 19 * interval.length;
  interval.counts[Count::bytes_in] = 950'000;
  interval.counts[Count::deltas] = 98;
  interval.counts[Count::losses_in] = 2;
  interval.counts[Count::verified_ticks] = 70;
  interval.counts[Count::events] = 77;
  for (std::uint64_t ms = 1; ms <= 31; ++ms) interval.intervals_us.add(1000 * ms);
  interval.lags_us.add(100);
  client::IntervalStats first = interval;
  first.intervals_us.add(100'000);
  first.counts[Count::mismatches] = 2;
  report.steps = {{{0, 20, 5 * core::second}, first}, {{20, 20, 5 * core::second}, interval}};
  report.samples = {sample_of(first, 5, 20, 18), sample_of(interval, 10, 20, 19)};
  report.whole.add(first);
  report.whole.add(interval);
  return report;
}

// The same of bots that predict: 100 corrections of 1 to 100 cm.
inline client::BotsReport report_of_predictions() {
  using client::Count;
  client::BotsReport report = some_report();
  client::IntervalStats& whole = report.whole;
  whole.counts[Count::predicted_ticks] = 4000;
  whole.counts[Count::replayed_ticks] = 700;
  whole.counts[Count::rollbacks] = 120;
  whole.counts[Count::late_mispredictions] = 90;
  whole.counts[Count::remote_mispredictions] = 3;
  whole.counts[Count::level_mispredictions] = 5;
  whole.counts[Count::prediction_stalls] = 2;
  for (std::uint64_t cm = 1; cm <= 100; ++cm) whole.corrections_um.add(10'000 * cm);
  whole.input_delays_us.add(50'000);
  return report;
}

}  // namespace mobula::test

#include <bots/interval_stats.hpp>

namespace mobula::client {
namespace {

Distribution distribution(const core::Histogram& histogram, double unit) {
  const auto in_units = [&](auto value) { return static_cast<double>(value) / unit; };
  return {.count = histogram.count(),
          .mean = in_units(histogram.mean()),
          .p50 = in_units(histogram.percentile(0.5)),
          .p99 = in_units(histogram.percentile(0.99)),
          .p999 = in_units(histogram.percentile(0.999)),
          .max = in_units(histogram.max())};
}

}  // namespace

void IntervalStats::add(const IntervalStats& later) {
  length += later.length;
  cpu += later.cpu;
  bots_time += later.bots_time;
  counts += later.counts;
  intervals_us.merge(later.intervals_us);
  joins_us.merge(later.joins_us);
  rtts_us.merge(later.rtts_us);
  lags_us.merge(later.lags_us);
  corrections_um.merge(later.corrections_um);
  input_delays_us.merge(later.input_delays_us);
}

void IntervalStats::clear() {
  length = cpu = bots_time = 0;
  counts = {};
  for (core::Histogram* histogram : {&intervals_us, &joins_us, &rtts_us, &lags_us, &corrections_um, &input_delays_us})
    histogram->clear();
}

Distribution distribution_ms(const core::Histogram& microseconds) { return distribution(microseconds, 1e3); }
Distribution distribution_cm(const core::Histogram& micrometres) { return distribution(micrometres, 1e4); }

}  // namespace mobula::client

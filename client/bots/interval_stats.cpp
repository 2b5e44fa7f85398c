#include <bots/interval_stats.hpp>

namespace mobula::client {

void IntervalStats::add(const IntervalStats& later) {
  length += later.length;
  cpu += later.cpu;
  bots_time += later.bots_time;
  counts += later.counts;
  intervals_us.merge(later.intervals_us);
  joins_us.merge(later.joins_us);
  rtts_us.merge(later.rtts_us);
  lags_us.merge(later.lags_us);
}

void IntervalStats::clear() {
  length = cpu = bots_time = 0;
  counts = {};
  for (core::Histogram* histogram : {&intervals_us, &joins_us, &rtts_us, &lags_us}) histogram->clear();
}

Distribution distribution_ms(const core::Histogram& microseconds) {
  const auto ms = [](auto value) { return static_cast<double>(value) / 1000; };
  return {.count = microseconds.count(),
          .mean = ms(microseconds.mean()),
          .p50 = ms(microseconds.percentile(0.5)),
          .p99 = ms(microseconds.percentile(0.99)),
          .p999 = ms(microseconds.percentile(0.999)),
          .max = ms(microseconds.max())};
}

}  // namespace mobula::client

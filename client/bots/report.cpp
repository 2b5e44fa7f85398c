#include <bots/measure.hpp>
#include <bots/report.hpp>
#include <cmath>
#include <limits>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

// Above these limits, intervals may be caused by the bots' loop instead of the server.
constexpr double lag_p99_ms_max = 5;
constexpr double cpu_percent_max = 85;

double value(const IntervalStats& interval, std::string_view name) {
  for (const IntervalMeasure& each : interval_measures())
    if (each.name == name) return each.value(interval);
  return std::numeric_limits<double>::quiet_NaN();
}

double per_second(std::uint64_t count, core::Nanoseconds length) {
  return length == 0 ? 0 : static_cast<double>(count) * core::second / static_cast<double>(length);
}

std::string spread(const core::Histogram& histogram, bool with_999 = false) {
  if (histogram.count() == 0) return "none";
  const Distribution d = distribution_ms(histogram);
  return core::format("mean {:.1f} ms, p50 {:.1f} ms, p99 {:.1f} ms, {}max {:.1f} ms", d.mean, d.p50, d.p99,
                      with_999 ? core::format("p99.9 {:.1f} ms, ", d.p999) : "", d.max);
}

std::string percent(double value) { return std::isnan(value) ? "–" : core::format("{:.2f}%", value); }

std::string entities_mirrored(const BotsReport& report) {
  if (report.mirrors == 0) return "none";
  const std::string range = core::format("{} to {} per bot", report.entities_min, report.entities_max);
  return report.mirrors == report.joined ? range : range + core::format(", by {} of them", report.mirrors);
}

std::string traffic(const IntervalStats& s, Count bytes, Count datagrams, std::string_view rate) {
  const double per_bot = value(s, rate);
  return core::format("{} bytes in {} datagrams ({:.2f} KB/s per bot)", s.counts[bytes], s.counts[datagrams],
                      std::isnan(per_bot) ? 0 : per_bot / 1000);
}

std::string reasons(std::string_view what, const ReasonCounts& counts) {
  std::string text;
  for (const auto& [reason, count] : counts.by_reason()) text += core::format("{:<24}{}: {}\n", what, count, reason);
  return text;
}

// Lines about predictions. Empty if the bots predict nothing.
std::string predictions(const IntervalStats& s) {
  const Counts& counts = s.counts;
  if (counts[Count::predicted_ticks] == 0) return "";
  const Distribution corrections = distribution_cm(s.corrections_um);
  return core::format(
      "ticks predicted         {}, {} computed again after {} rollbacks, {} stalls\n"
      "mispredictions          {} late, {} remote, {} level\n"
      "corrections             {} of mean {:.1f} cm, p50 {:.1f} cm, p99 {:.1f} cm, max {:.1f} cm\n"
      "input delay             {}\n",
      counts[Count::predicted_ticks], counts[Count::replayed_ticks], counts[Count::rollbacks],
      counts[Count::prediction_stalls], counts[Count::late_mispredictions], counts[Count::remote_mispredictions],
      counts[Count::level_mispredictions], corrections.count, corrections.mean, corrections.p50, corrections.p99,
      corrections.max, spread(s.input_delays_us));
}

std::string steps_table(const BotsReport& report) {
  std::string text =
      "\nstep  bots            seconds  interval p50, p99, max ms    KB/s per bot in, out    loss in, out\n";
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const auto& [step, s] = report.steps[i];
    const Distribution d = distribution_ms(s.intervals_us);
    const std::string bots =
        step.from == step.to ? core::format("{}", step.to) : core::format("{} to {}", step.from, step.to);
    const auto kb = [&](std::string_view name) {
      const double rate = value(s, name);
      return std::isnan(rate) ? 0 : rate / 1000;
    };
    text += core::format("{:<6}{:<16}{:<9.1f}{:<29}{:<24}{}, {}\n", i + 1, bots, core::in_seconds(s.length),
                         core::format("{:.1f}, {:.1f}, {:.1f}", d.p50, d.p99, d.max),
                         core::format("{:.2f}, {:.2f}", kb("bytes_in_per_bot_second"), kb("bytes_out_per_bot_second")),
                         percent(value(s, "loss_in_percent")), percent(value(s, "loss_out_percent")));
  }
  return text;
}

}  // namespace

BotsSample sample_of(const IntervalStats& interval, double seconds, std::uint32_t wanted, std::uint32_t playing) {
  return {.seconds = seconds,
          .wanted = wanted,
          .playing = playing,
          .intervals = distribution_ms(interval.intervals_us),
          .joins = distribution_ms(interval.joins_us),
          .rtts = distribution_ms(interval.rtts_us),
          .lags = distribution_ms(interval.lags_us),
          .bytes_in_per_second = per_second(interval.counts[Count::bytes_in], interval.length),
          .bytes_out_per_second = per_second(interval.counts[Count::bytes_out], interval.length),
          .loss_in_percent = value(interval, "loss_in_percent"),
          .loss_out_percent = value(interval, "loss_out_percent"),
          .mismatches = interval.counts[Count::mismatches],
          .cpu_percent = value(interval, "cpu_percent")};
}

std::string lateness_warning(const IntervalStats& interval) {
  const double lag = distribution_ms(interval.lags_us).p99;
  const double cpu = value(interval, "cpu_percent");
  if (lag <= lag_p99_ms_max && !(cpu > cpu_percent_max)) return "";
  return core::format(
      "the bots' own machine was late (loop p99 {:.1f} ms, {:.0f}% of a core): it, not the server, may "
      "cause the intervals and join times; use fewer bots, another core or machine, or --verify with a smaller number",
      lag, cpu);
}

std::string to_table(const BotsReport& report) {
  const IntervalStats& s = report.whole;
  std::string table = core::format(
      "bots joined             {} of {}\n"
      "seconds                 {:.1f}\n"
      "join time               {}\n"
      "delta interval          {}\n"
      "round trip              {}\n"
      "received                {}\n"
      "sent                    {}\n"
      "loss                    in {}, out {}\n"
      "entities mirrored       {}\n"
      "events received         {}\n"
      "mirrors verified        {} times, {} mismatches\n"
      "commands given          {}\n"
      "bots' own lateness      {}; {:.0f}% of a core\n",
      report.joined, report.clients, core::in_seconds(s.length), spread(s.joins_us), spread(s.intervals_us, true),
      spread(s.rtts_us), traffic(s, Count::bytes_in, Count::datagrams_in, "bytes_in_per_bot_second"),
      traffic(s, Count::bytes_out, Count::datagrams_out, "bytes_out_per_bot_second"),
      percent(value(s, "loss_in_percent")), percent(value(s, "loss_out_percent")), entities_mirrored(report),
      s.counts[Count::events], s.counts[Count::verified_ticks], s.counts[Count::mismatches], s.counts[Count::commands],
      spread(s.lags_us), value(s, "cpu_percent"));
  table += predictions(s);
  if (s.counts[Count::leaves] > 0)
    table += core::format("left and reconnected    {} left, {} joins in all, {} of them as the same player\n",
                          s.counts[Count::leaves], s.counts[Count::joins], s.counts[Count::rejoins]);
  table += reasons("refused", report.refusals) + reasons("disconnected", report.disconnects);
  if (report.token_failures > 0)
    table += core::format("no connect token        {}, the last: {}\n", report.token_failures, report.token_failure);
  if (report.lost > 0)
    table += core::format("lost, or never joined   {}, the first: {}\n", report.lost, report.first_loss);
  if (report.steps.size() > 1) table += steps_table(report);
  if (report.foreign_game)
    table += "\nThis server's game is not the demo: it refused the bots' commands. Use --behaviour idle or churn.\n";
  const std::string warning = lateness_warning(s);
  if (!warning.empty()) table += core::format("\nWarning: {}.\n", warning);
  return table;
}

}  // namespace mobula::client

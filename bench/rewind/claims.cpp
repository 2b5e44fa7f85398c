#include "rewind/claims.hpp"

#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/rewind/view_claims.hpp>

#include "rewind/shooting.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint32_t frames_per_second = 60;
constexpr std::uint32_t target_count = 30;
constexpr std::uint32_t settling_seconds = 5;  // until the clock knows the path

double quantile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void summarise(std::vector<double> ages, ClaimReport& report) {
  std::ranges::sort(ages);
  report.claims = ages.size();
  report.age_ms_p50 = quantile(ages, 0.5);
  report.age_ms_p99 = quantile(ages, 0.99);
  report.age_ms_p999 = quantile(ages, 0.999);
  for (const std::uint32_t limit : claim_limits_ms) {
    const auto older = ages.end() - std::ranges::upper_bound(ages, static_cast<double>(limit));
    report.older.push_back(1000.0 * static_cast<double>(older) /
                           static_cast<double>(std::max<std::size_t>(ages.size(), 1)));
  }
}

core::Result<ClaimReport> run_path(const ClaimPath& path, std::uint32_t claims, std::uint64_t seed) {
  ClaimReport report{.path = path, .older = {}};
  std::vector<double> ages;
  bool measures = false;
  Shooting game(target_count,
                [&](server::World& world, const server::Player& player, const server::CommandContext& context) {
                  const double ticks = static_cast<double>(context.tick) - server::view_of(context);
                  if (measures) ages.push_back(ticks * 1000 / path.ticks_per_second);
                  const core::Result<server::Rewound> past = world.rewind().view(player.id, context);
                  if (!past && measures) ++report.refused[past.error().reason];
                  return core::Status(core::Done{});
                });
  game.set_rewind({.window = core::second, .view_age_max = core::second});
  const core::Nanoseconds jitter = path.jitter_ms * core::millisecond;
  // A datagram is later by up to the jitter, half of it in the mean.
  const core::Nanoseconds latency = (path.round_trip_ms * core::millisecond - jitter) / 2;
  const ShootingPace pace{
      .ticks_per_second = path.ticks_per_second,
      .frames_per_tick = frames_per_second / path.ticks_per_second,
      .conditions = {.latency = std::max<core::Nanoseconds>(latency, 0), .jitter = jitter, .loss_ppm = 50'000}};
  core::Result<std::unique_ptr<ShootingWorld>> world = ShootingWorld::make(game, pace, seed);
  if (!world) return world.error();
  if (!(*world)->join()) return core::Error{"not complete", "the client does not get all that it sees"};
  for (std::uint32_t tick = 0; tick < settling_seconds * path.ticks_per_second; ++tick) (*world)->tick(true);
  measures = true;
  for (std::uint32_t tick = 0; ages.size() < claims && tick < claims; ++tick) (*world)->tick(true);
  summarise(std::move(ages), report);
  return report;
}

}  // namespace

std::uint64_t ClaimReport::count_refused() const {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : refused) sum += count;
  return sum;
}

core::Result<std::vector<ClaimReport>> run_claims(std::uint32_t claims, std::uint64_t seed) {
  core::set_log_level(core::LogLevel::error);
  std::vector<ClaimReport> reports;
  for (const std::uint32_t ticks_per_second : {20u, 60u})
    for (const std::uint32_t round_trip_ms : {50u, 100u, 150u, 200u})
      for (const std::uint32_t jitter_ms : {10u, 20u, 50u}) {
        core::Result<ClaimReport> report = run_path({ticks_per_second, round_trip_ms, jitter_ms}, claims, seed);
        if (!report) return report.error();
        reports.push_back(std::move(*report));
      }
  return reports;
}

std::string to_json(const std::vector<ClaimReport>& reports) {
  std::string text;
  for (const ClaimReport& each : reports) {
    text += core::format(
        R"({}{{"ticks_per_second":{},"round_trip_ms":{},"jitter_ms":{},"claims":{},"refused":{},"age_ms_p50":{:.0f},)"
        R"("age_ms_p99":{:.0f},"age_ms_p999":{:.0f}}})",
        text.empty() ? "" : ",", each.path.ticks_per_second, each.path.round_trip_ms, each.path.jitter_ms, each.claims,
        each.count_refused(), each.age_ms_p50, each.age_ms_p99, each.age_ms_p999);
  }
  return "[" + text + "]";
}

std::string to_table(const std::vector<ClaimReport>& reports) {
  std::string text = "Hz  round trip  jitter   claims  refused  age, ms: p50   p99  p99.9  of 1,000 older than";
  for (const std::uint32_t limit : claim_limits_ms) text += core::format(" {:>6}", limit);
  text += '\n';
  for (const ClaimReport& each : reports) {
    text += core::format("{:>2} {:>11} {:>7} {:>8} {:>8} {:>13.0f} {:>5.0f} {:>6.0f} {:>20}",
                         each.path.ticks_per_second, each.path.round_trip_ms, each.path.jitter_ms, each.claims,
                         each.count_refused(), each.age_ms_p50, each.age_ms_p99, each.age_ms_p999, "");
    for (const double older : each.older) text += core::format(" {:>6.1f}", older);
    for (const auto& [reason, count] : each.refused) text += core::format("; {} {}", count, reason);
    text += '\n';
  }
  return text;
}

}  // namespace mobula::bench

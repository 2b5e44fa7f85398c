// Ages of the views that honest clients claim, over networks: what RewindConfig::view_age_max would refuse.
#pragma once

#include <cstdint>
#include <map>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::bench {

/// Network and pace of a measurement. All lose 5% of the datagrams.
struct ClaimPath {
  std::uint32_t ticks_per_second = 20;
  std::uint32_t round_trip_ms = 100;
  std::uint32_t jitter_ms = 20;  ///< Each datagram is later by up to this.
};

/// Claims of one client, which draws 60 frames per second and gives a command in each.
struct ClaimReport {
  ClaimPath path;
  std::uint64_t claims = 0;
  std::map<std::string, std::uint64_t> refused{};  ///< By reason, with views of any age allowed.
  double age_ms_p50 = 0;
  double age_ms_p99 = 0;
  double age_ms_p999 = 0;
  [[nodiscard]] std::uint64_t count_refused() const;
  std::vector<double> older;  ///< Shares that are older than each of claim_limits_ms, of 1,000.
};

inline constexpr std::uint32_t claim_limits_ms[] = {250, 300, 400, 500, 550};

/// Measures all paths with at least `claims` claims each.
core::Result<std::vector<ClaimReport>> run_claims(std::uint32_t claims, std::uint64_t seed);

std::string to_json(const std::vector<ClaimReport>& reports);
std::string to_table(const std::vector<ClaimReport>& reports);

}  // namespace mobula::bench

// Limits that a run must keep, such as "p99_interval_ms<=100".
#pragma once

#include <bots/measure.hpp>

namespace mobula::client {

struct BotsLimit {
  enum class Comparison : std::uint8_t { at_most, below, at_least, above, equal };

  std::string measure;
  Comparison comparison = Comparison::at_most;
  double bound = 0;
};

/// Parses a limit. Errors: "unknown measure", "bad comparison", "bad number".
core::Result<BotsLimit> parse_limit(std::string_view text);
std::string to_string(const BotsLimit& limit);

/// Returns the limits of every run and the user's. By default all bots must join and stay, mirrors must match and the
/// requested ones be verified. A limit of the user on the same measure replaces a default.
std::vector<BotsLimit> limits_of(const std::vector<BotsLimit>& required, std::uint32_t clients, bool verifies);

struct LimitVerdict {
  BotsLimit limit;
  double value = 0;  // NaN if nothing was measured; the limit is then not met
  bool met = false;
};
std::vector<LimitVerdict> judge(const BotsReport& report, const std::vector<BotsLimit>& limits);
bool all_met(const std::vector<LimitVerdict>& verdicts);
/// Formats a line per verdict: "not met  p99_interval_ms<=100: 131.2".
std::string to_table(const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client

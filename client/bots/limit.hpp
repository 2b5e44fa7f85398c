// What a run must keep to be good: "p99_interval_ms<=100".
#pragma once

#include <bots/measure.hpp>

namespace mobula::client {

struct BotsLimit {
  enum class Comparison : std::uint8_t { at_most, below, at_least, above, equal };

  std::string measure;
  Comparison comparison = Comparison::at_most;
  double bound = 0;
};

// Reasons: "unknown measure", "bad comparison", "bad number".
core::Result<BotsLimit> parse_limit(std::string_view text);
std::string to_string(const BotsLimit& limit);

// Those of every run: all joined and stayed, no mirror was wrong, and what was to be verified was. A limit of the
// user's on the same measure takes the place of one of these.
std::vector<BotsLimit> limits_of(const std::vector<BotsLimit>& required, std::uint32_t clients, bool verifies);

struct LimitVerdict {
  BotsLimit limit;
  double value = 0;  // NaN: nothing was measured, and the limit is not met
  bool met = false;
};
std::vector<LimitVerdict> judge(const BotsReport& report, const std::vector<BotsLimit>& limits);
bool all_met(const std::vector<LimitVerdict>& verdicts);
// "not met  p99_interval_ms<=100: 131.2", a line for each.
std::string to_table(const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client

// Number of bots over time.
//
//   30s                climb from 0 to all in 30 s
//   100@10s,500@30s    100 for 10 s, then 500 for 30 s; then the run ends
//   30s,100@10s,30s    in between, another climb: from the last number to the next
//
// A time is a number with ms, s, m or h. A climb at the end goes to all bots, which then stay. A number at the end has
// its own length, so the run's is not given.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::client {

struct RampStep {
  std::uint32_t from = 0;  // at its beginning
  std::uint32_t to = 0;    // at its end; equal if the number is held
  core::Nanoseconds length = 0;

  bool operator==(const RampStep&) const = default;
};

inline constexpr std::size_t ramp_steps_max = 100;

/// Limits from the command line. 0 if not given.
struct RampLimits {
  std::uint32_t clients = 0;     // number of bots; default: the greatest number of the ramp, or `clients_default`
  core::Nanoseconds length = 0;  // length of the run; default: the ramp's, plus `hold_default` after a climb
  std::uint32_t clients_default = 20;
  std::uint32_t clients_max = 10'000;
  core::Nanoseconds hold_default = 10 * core::second;
};

class Ramp {
 public:
  /// All bots at once, for `length`.
  Ramp(std::uint32_t clients, core::Nanoseconds length) : steps_{{clients, clients, length}} {}
  /// Parses the text above. Empty means all bots at once. The rest of the run after a climb is a step of its own.
  /// Errors: "bad ramp".
  static core::Result<Ramp> parse(std::string_view text, const RampLimits& limits);

  [[nodiscard]] const std::vector<RampStep>& steps() const { return steps_; }
  [[nodiscard]] core::Nanoseconds length() const;
  [[nodiscard]] std::uint32_t most() const;
  /// Returns the index of the step, and the number of bots, after a time. After the end: the last.
  [[nodiscard]] std::size_t step_at(core::Nanoseconds elapsed) const;
  [[nodiscard]] std::uint32_t clients_at(core::Nanoseconds elapsed) const;

 private:
  explicit Ramp(std::vector<RampStep> steps) : steps_(std::move(steps)) {}

  std::vector<RampStep> steps_;  // not empty
};

/// Parses "1500ms", "30s", "5m", "2h", "0.5s". Errors: "bad time".
core::Result<core::Nanoseconds> parse_length(std::string_view text);

}  // namespace mobula::client

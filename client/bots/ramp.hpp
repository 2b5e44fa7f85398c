// How many bots there are to be, by the time since the beginning.
//
//   30s                climb from 0 to all in 30 s
//   100@10s,500@30s    100 for 10 s, then 500 for 30 s; then it is over
//   30s,100@10s,30s    in between, another climb: from the last number to the next
//
// A time is a number and ms, s, m or h. A climb at the end goes to all, which then stay;
// a number at the end says itself when it is over.
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
  std::uint32_t to = 0;    // at its end; the same: it is held
  core::Nanoseconds length = 0;

  bool operator==(const RampStep&) const = default;
};

inline constexpr std::size_t ramp_steps_max = 100;

// What else the command line says; 0: nothing.
struct RampLimits {
  std::uint32_t clients = 0;     // all. Else the greatest number of the ramp, or `clients_default`
  core::Nanoseconds length = 0;  // of the whole run. Else the ramp's, and `hold_default` behind a climb
  std::uint32_t clients_default = 20;
  std::uint32_t clients_max = 10'000;
  core::Nanoseconds hold_default = 10 * core::second;
};

class Ramp {
 public:
  // All at once, for so long.
  Ramp(std::uint32_t clients, core::Nanoseconds length) : steps_{{clients, clients, length}} {}
  // What is written above; empty: all at once. What is left of the whole run behind a climb is a step of its own.
  // Reasons: "bad ramp".
  static core::Result<Ramp> parse(std::string_view text, const RampLimits& limits);

  [[nodiscard]] const std::vector<RampStep>& steps() const { return steps_; }
  [[nodiscard]] core::Nanoseconds length() const;
  [[nodiscard]] std::uint32_t most() const;
  // Where it is after so long: the number of the step, and of the clients. Behind the end: the last.
  [[nodiscard]] std::size_t step_at(core::Nanoseconds elapsed) const;
  [[nodiscard]] std::uint32_t clients_at(core::Nanoseconds elapsed) const;

 private:
  explicit Ramp(std::vector<RampStep> steps) : steps_(std::move(steps)) {}

  std::vector<RampStep> steps_;  // not empty
};

// "1500ms", "30s", "5m", "2h", "0.5s". Reasons: "bad time".
core::Result<core::Nanoseconds> parse_length(std::string_view text);

}  // namespace mobula::client

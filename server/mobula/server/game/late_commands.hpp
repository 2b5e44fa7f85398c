// Counts of commands that were not executed in their own tick.
#pragma once

#include <cstdint>

namespace mobula::server {

struct LateCommands {
  std::uint64_t run = 0;      ///< executed in a later tick
  std::uint64_t dropped = 0;  ///< arrived too late, or behind too many others
  std::uint64_t missing = 0;  ///< had not arrived when later ones were due

  bool operator==(const LateCommands&) const = default;
  LateCommands& operator+=(const LateCommands& more) {
    run += more.run;
    dropped += more.dropped;
    missing += more.missing;
    return *this;
  }
  /// Returns what was counted since `former`.
  [[nodiscard]] LateCommands since(const LateCommands& former) const {
    return {run - former.run, dropped - former.dropped, missing - former.missing};
  }
};

}  // namespace mobula::server

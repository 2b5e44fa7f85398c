// Rate limiter for log lines of one kind. Suppressed lines are counted, and the next line reports their number, so that
// unauthenticated peers cannot fill a disk.
#pragma once

#include <cstdint>
#include <mobula/core/per_second.hpp>
#include <string>

namespace mobula::core {

/// Limits the log lines of one kind per second.
class LogLimit {
 public:
  explicit LogLimit(std::uint32_t lines_per_second) : lines_(lines_per_second) {}

  /// Returns whether a line may be written now.
  bool admit(Nanoseconds now);
  /// Returns the text to append to the line: " (and 12 more like it)", or empty.
  [[nodiscard]] std::string more();

 private:
  PerSecond lines_;
  std::uint64_t skipped_ = 0;  // since the last line
};

}  // namespace mobula::core

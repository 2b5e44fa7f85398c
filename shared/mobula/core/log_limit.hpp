// Lets so many lines of one kind through per second. The rest are counted, and the next line tells how many there were:
// strangers must not be able to fill a disk.
#pragma once

#include <cstdint>
#include <mobula/core/per_second.hpp>
#include <string>

namespace mobula::core {

class LogLimit {
 public:
  explicit LogLimit(std::uint32_t lines_per_second) : lines_(lines_per_second) {}

  // Whether a line may be written.
  bool admit(Nanoseconds now);
  // What to write behind the line: nothing, or " (and 12 more like it)".
  [[nodiscard]] std::string more();

 private:
  PerSecond lines_;
  std::uint64_t skipped_ = 0;  // since the last line
};

}  // namespace mobula::core

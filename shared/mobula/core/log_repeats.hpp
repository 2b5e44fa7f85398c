// Suppresses repeated log lines, so that they cannot fill a disk. A kind is a module and a format string. Per kind,
// lines_per_second lines are admitted in a second that begins with the first one. The rest are counted and reported
// when the second is over. The number of kinds is bounded; lines of further kinds are always admitted.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/log_levels.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::core {

/// Suppresses repeated log lines and counts them.
class LogRepeats {
 public:
  static constexpr std::uint32_t lines_per_second = 5;
  static constexpr std::size_t kinds_max = 256;

  struct Held {
    LogLevel level = LogLevel::info;
    std::string module;
    std::string kind;
    std::uint64_t lines = 0;
  };

  /// Returns whether a line may be written now.
  bool admit(LogLevel level, std::string_view module, std::string_view kind, Nanoseconds now);
  /// Returns whether take_held() may have something now. Only a comparison.
  [[nodiscard]] bool has_held(Nanoseconds now) const { return now >= next_; }
  /// Removes and returns the kinds whose second is over and that had suppressed lines.
  std::vector<Held> take_held(Nanoseconds now);

 private:
  static constexpr Nanoseconds never = INT64_MAX;

  struct Kind {
    Held held;
    std::uint32_t passed = 0;  // in this second
    Nanoseconds ends = 0;
  };

  Kind* find_or_make(LogLevel level, std::string_view module, std::string_view kind, Nanoseconds now);

  std::vector<Kind> kinds_;
  std::size_t latest_ = 0;    // where the kind of the latest line may be: a flood repeats one kind
  Nanoseconds next_ = never;  // earliest end of a second with suppressed lines
};

/// Reports all suppressed lines of the process's log, and admits lines as if none was written before. For tests: those
/// of one process share a second.
void restart_log_repeats();

}  // namespace mobula::core

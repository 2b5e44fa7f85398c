// Keeps lines of one kind from filling a disk: of a kind, which is a module and a text before its arguments, so many
// pass in a second that begins with the first; the rest are counted, and told of in one line when the second is over.
// Kinds are bounded; one that finds no place passes.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/log_levels.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::core {

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

  // Whether a line may be written now.
  bool admit(LogLevel level, std::string_view module, std::string_view kind, Nanoseconds now);
  // Whether take_held() may have something now: a comparison.
  [[nodiscard]] bool has_held(Nanoseconds now) const { return now >= next_; }
  // The kinds whose second is over and of which lines were held back; they begin anew.
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
  Nanoseconds next_ = never;  // the earliest end of a second in which lines were held back
};

}  // namespace mobula::core

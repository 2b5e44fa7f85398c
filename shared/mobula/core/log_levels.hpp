// Which log lines are written: one level for all modules, and others for some. As text: "info,net=debug,store=trace".
#pragma once

#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::core {

enum class LogLevel { trace, debug, info, warn, error, off };

std::string_view to_string(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

struct LogLevels {
  LogLevel all = LogLevel::info;
  std::vector<std::pair<std::string, LogLevel>> modules{};  // each once

  [[nodiscard]] LogLevel of(std::string_view module) const;
  // The least that any module has.
  [[nodiscard]] LogLevel lowest() const;
  // The level of all comes first or is info; of what is said of a module twice the later counts. Reasons: "unknown
  // level", "bad module", "too many modules".
  static Result<LogLevels> parse(std::string_view text);

  bool operator==(const LogLevels&) const = default;
};

// As parse() reads it.
std::string to_string(const LogLevels& levels);

}  // namespace mobula::core

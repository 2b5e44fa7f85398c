// Log levels: a default, and levels for single modules. Text form: "info,net=debug,store=trace".
#pragma once

#include <initializer_list>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::core {

/// Level of a log line, or the lowest level written. `off` writes nothing.
enum class LogLevel { trace, debug, info, warn, error, off };

/// Returns the name: "warn".
std::string_view to_string(LogLevel level);
/// Returns nothing unless the text is such a name.
std::optional<LogLevel> parse_log_level(std::string_view text);

/// Lowest levels written: a default, and levels for single modules.
struct LogLevels {
  LogLevel all = LogLevel::info;
  std::vector<std::pair<std::string, LogLevel>> modules{};  // each once

  /// Returns the level of a module; `all` if it has none of its own.
  [[nodiscard]] LogLevel of(std::string_view module) const;
  /// Returns the lowest level of any module.
  [[nodiscard]] LogLevel lowest() const;
  /// Returns the highest level of any module. Lines of this level are written by all.
  [[nodiscard]] LogLevel highest() const;
  /// Parses levels. The default comes first, or is info. If a module occurs twice, the last level is used.
  /// Errors: "unknown level", "bad module", "unknown module", "too many modules".
  static Result<LogLevels> parse(std::string_view text);

  bool operator==(const LogLevels&) const = default;
};

/// Names modules that the program's lines have. LogLevels::parse() refuses all others from then on. For main(), before
/// it reads the command line. A game whose lines have a module of their own names it here.
void add_log_modules(std::initializer_list<std::string_view> modules);

/// Returns the text that parse() reads.
std::string to_string(const LogLevels& levels);

}  // namespace mobula::core

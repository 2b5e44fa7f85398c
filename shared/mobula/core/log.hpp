// Logging: lines with level, module, text and fields. Thread-safe, without the thread library.
//
//   log_info, … ──► levels ──► repeats ──► LogRecord ──► output
//
// The output is that of the process (process/log_output.hpp) in programs that have it. Otherwise lines wait in a buffer
// for the host, which reads them with read_log. At most five lines per second are written with one format string. Then
// one line reports the number of suppressed ones.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log_buffer.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/log_record.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace mobula::core {

/// Receives the lines of all threads, of several at a time.
using LogOutput = void (*)(const LogRecord& record);

/// Sets where lines go. Null, the default, is a buffer of 64 KiB. Threads that are writing a line may still call
/// the former output.
void set_log_output(LogOutput output);
/// Reads the oldest line of the buffer, as LogBuffer::read() does.
std::optional<LogBuffer::Line> read_log(std::span<char> text);

/// Sets the levels. Lines below the level of their module are dropped. The default is info for all.
void set_log_levels(LogLevels levels);
/// Returns a copy of the levels.
[[nodiscard]] LogLevels log_levels();
/// Sets one level for all modules, also for those that had their own.
inline void set_log_level(LogLevel level) { set_log_levels({.all = level}); }
/// Returns whether lines of a level are written. An empty module has the default level.
[[nodiscard]] bool log_enabled(LogLevel level, std::string_view module = {});

/// Writes a line that is never suppressed as a repeat, for example of a list. `module` is the folder of the caller:
/// "server", "net", …
void log_line(LogLevel level, std::string_view module, std::string_view text);
/// Writes a line unless `text`, its format string, was used too often. Call log_enabled() before it, as log_at() does.
void log_formatted(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args);
/// Writes the reports of suppressed lines that are due at `now`. Every log line does so as well; call it in quiet
/// periods.
void log_held_lines(Nanoseconds now = monotonic_now());

/// Formats and writes a line if its level is enabled. `text` is a format string of fmt. Arguments are evaluated at
/// every level: only their formatting is saved.
template <class... Args>
void log_at(LogLevel level, std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(level, module)) log_formatted(level, module, text, fmt::make_format_args(args...));
}
/// Writes a line of level trace, as log_at() does.
template <class... Args>
void log_trace(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::trace, module, text, std::forward<Args>(args)...);
}
/// Writes a line of level debug, as log_at() does.
template <class... Args>
void log_debug(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::debug, module, text, std::forward<Args>(args)...);
}
/// Writes a line of level info, as log_at() does.
template <class... Args>
void log_info(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::info, module, text, std::forward<Args>(args)...);
}
/// Writes a line of level warn, as log_at() does.
template <class... Args>
void log_warn(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::warn, module, text, std::forward<Args>(args)...);
}
/// Writes a line of level error, as log_at() does.
template <class... Args>
void log_error(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::error, module, text, std::forward<Args>(args)...);
}

/// Adds fields to all lines of this thread during its lifetime. Fields that are not set are inherited from the
/// enclosing scope. Costs a copy of the fields; their texts must outlive it.
class LogScope {
 public:
  /// Sets the fields. A world other than the enclosing scope's first clears all fields of that scope.
  explicit LogScope(const LogFields& fields);
  /// Restores the fields of the enclosing scope. Scopes of a thread end in reverse order.
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  LogFields outer_;
};

/// Returns the fields of this thread's lines.
[[nodiscard]] const LogFields& log_fields();

}  // namespace mobula::core

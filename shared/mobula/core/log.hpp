// Logging: lines with level, module, text and fields. The only user of spdlog. Thread-safe.
// Lines go to standard error, since standard output is for a program's result. Lines that cannot be written are
// counted, and the next one that can is preceded by a report of their number. At most five lines per second are written
// with one format string. Then one line reports the number of suppressed ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <mobula/core/format.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/log_record.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace mobula::core {

/// Format of log lines.
enum class LogFormat { text, json };

/// Parses "text", "json" or "auto" (text if standard error is a terminal, otherwise JSON). Returns nothing for other
/// words.
std::optional<LogFormat> parse_log_format(std::string_view text);
/// Sets the format. The default is text.
void set_log_format(LogFormat format);

/// Sets the levels. Lines below the level of their module are dropped. The default is info for all.
void set_log_levels(LogLevels levels);
[[nodiscard]] LogLevels log_levels();
inline void set_log_level(LogLevel level) { set_log_levels({.all = level}); }
[[nodiscard]] bool log_enabled(LogLevel level, std::string_view module = {});

/// Writes a line that is never suppressed as a repeat, for example of a list. `module` is the folder of the caller:
/// "server", "net", …
void log_line(LogLevel level, std::string_view module, std::string_view text);
void log_formatted(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args);
/// Writes all suppressed lines and an error line, whatever the levels. Returns the line as text. For failure.hpp: if
/// another thread keeps the log locked for a second, the line is written without it.
std::string log_failure(std::string_view text);
/// Writes the reports of suppressed lines that are due. Every log line does so as well; call it in quiet periods.
void log_held_lines();
/// Lets a thread write the lines from now on, so that no other thread waits for the reader of the log. At most 1 MiB of
/// lines waits for the reader; newer ones are dropped and counted. For main(), before other threads log. Forked
/// children write nothing then. Without a free thread nothing changes.
void log_in_background();
/// Waits until all lines logged before are written or lost. Returns false if that takes longer than `at_most`.
bool flush_log(std::chrono::milliseconds at_most);
/// Returns the lines that the thread could not write, or that were dropped because 1 MiB of them waited for the reader.
[[nodiscard]] std::uint64_t dropped_log_lines();

template <class... Args>
void log_at(LogLevel level, std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(level, module)) log_formatted(level, module, text, fmt::make_format_args(args...));
}
template <class... Args>
void log_trace(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::trace, module, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_debug(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::debug, module, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::info, module, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_warn(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::warn, module, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::error, module, text, std::forward<Args>(args)...);
}

/// Adds fields to all lines of this thread during its lifetime. Fields that are not set are inherited from the
/// enclosing scope. Costs a copy of the fields; their texts must outlive it.
class LogScope {
 public:
  explicit LogScope(const LogFields& fields);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  LogFields outer_;
};

}  // namespace mobula::core

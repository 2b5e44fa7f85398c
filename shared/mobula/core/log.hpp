// Log lines: level, module, text, and what they are about. The only door to spdlog.
// Safe from any thread. Lines go to standard error: standard output belongs to a program's result.
// Of lines that differ in their arguments alone, five pass in a second; how many more there were is told after it.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/log_record.hpp>
#include <string_view>
#include <utility>

namespace mobula::core {

enum class LogFormat { text, json };

// "text", "json", or "auto": text if standard error is a terminal, else JSON. Nothing for another word.
std::optional<LogFormat> parse_log_format(std::string_view text);
// The default is text.
void set_log_format(LogFormat format);

// What is below its module's level is dropped. The default is info for all.
void set_log_levels(LogLevels levels);
[[nodiscard]] LogLevels log_levels();
inline void set_log_level(LogLevel level) { set_log_levels({.all = level}); }
[[nodiscard]] bool log_enabled(LogLevel level, std::string_view module = {});

// `module` is the folder that speaks: "server", "transport", … log_line() is never held back: for lists, each of whose
// lines is news.
void log_line(LogLevel level, std::string_view module, std::string_view text);
void log_formatted(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args);
// Tells of lines that were held back. Every log line does so too; call it where there may be silence.
void log_held_lines();

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

// While it lives, lines of this thread say what they are about: what is given here, and of the rest what a scope around
// it says. Costs a copy of the fields; texts among them must outlive it.
class LogScope {
 public:
  explicit LogScope(const LogFields& fields);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  LogFields around_;
};

}  // namespace mobula::core

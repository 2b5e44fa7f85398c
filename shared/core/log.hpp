// Log lines: level, module, text. The only door to spdlog.
// Safe from any thread. Lines go to standard error: standard output belongs to a program's result.
#pragma once

#include <mobula/core/format.hpp>
#include <string_view>
#include <utility>

namespace mobula::core {

enum class LogLevel { debug, info, warn, error, off };

// What is below `level` is dropped. The default is info.
void set_log_level(LogLevel level);
[[nodiscard]] bool log_enabled(LogLevel level);

// `module` is the folder that speaks: "server", "transport", …
void log_line(LogLevel level, std::string_view module, std::string_view text);

template <class... Args>
void log_debug(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::debug)) log_line(LogLevel::debug, module, format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::info)) log_line(LogLevel::info, module, format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_warn(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::warn)) log_line(LogLevel::warn, module, format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(std::string_view module, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::error)) log_line(LogLevel::error, module, format(text, std::forward<Args>(args)...));
}

}  // namespace mobula::core

// The log of a process. The only user of spdlog. Thread-safe.
// Lines go to standard error, since standard output is for a program's result. Lines that cannot be written are
// counted, and the next one that can is preceded by a report of their number.
#pragma once

#include <chrono>
#include <cstdint>
#include <mobula/core/log.hpp>
#include <optional>
#include <string_view>

namespace mobula::process {

/// Format of log lines.
enum class LogFormat { text, json };

/// Parses "text", "json" or "auto" (text if standard error is a terminal, otherwise JSON). Returns nothing for other
/// words.
std::optional<LogFormat> parse_log_format(std::string_view text);
/// Sets the format. The default is text.
void set_log_format(LogFormat format);

/// Lets a thread write the lines from now on, so that no other thread waits for the reader of the log. At most 1 MiB of
/// lines waits for the reader; newer ones are dropped and counted. For main(), before other threads log. Forked
/// children write nothing then. Without a free thread nothing changes.
void log_in_background();
/// Waits until all lines logged before are written or lost. Returns false if that takes longer than `at_most`.
bool flush_log(std::chrono::milliseconds at_most);
/// Returns the lines that the thread could not write, or that were dropped because 1 MiB of them waited for the reader.
[[nodiscard]] std::uint64_t dropped_log_lines();

/// Writes a line. The output of core/log.hpp in each program that links this room; see started.cpp.
void write_log_record(const core::LogRecord& record);
/// Writes all suppressed lines and an error line, whatever the levels. Returns the line as text. For a failure: if
/// another thread keeps the log locked for a second, the line is written without it.
std::string log_failure(std::string_view text);

}  // namespace mobula::process

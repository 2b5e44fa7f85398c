#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mobula/process/log_output.hpp>
#include <mobula/process/log_queue.hpp>
#include <mobula/process/log_sink.hpp>
#include <mutex>
#include <thread>

namespace mobula::process {
namespace {

using core::LogLevel;
using core::LogRecord;

struct SpdlogLevel {
  spdlog::level::level_enum level;
  std::string_view colour;  // on a terminal
};
SpdlogLevel spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::trace: return {spdlog::level::trace, "\033[37m"};
    case LogLevel::debug: return {spdlog::level::debug, "\033[36m"};
    case LogLevel::info: return {spdlog::level::info, "\033[32m"};
    case LogLevel::warn: return {spdlog::level::warn, "\033[33m\033[1m"};
    case LogLevel::error: return {spdlog::level::err, "\033[31m\033[1m"};
    case LogLevel::off: break;
  }
  return {spdlog::level::off, {}};
}
constexpr std::string_view colour_end = "\033[m";

std::unique_ptr<spdlog::formatter> make_formatter() {
  return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v",
                                                     spdlog::pattern_time_type::utc, "\n");
}

// Returns a line of text with its line feed, the level in colour if the line is for a terminal.
std::string text_line(spdlog::formatter& formatter, const LogRecord& record, bool coloured) {
  const SpdlogLevel level = spdlog_level(record.level);
  const std::string text = to_text(record);
  const spdlog::log_clock::time_point time{std::chrono::milliseconds(record.unix_ms)};
  const spdlog::details::log_msg message(time, {}, {}, level.level, text);
  spdlog::memory_buf_t formatted;
  formatter.format(message, formatted);
  std::string line(formatted.data(), formatted.size());
  if (coloured) {
    line.insert(message.color_range_end, colour_end);
    line.insert(message.color_range_start, level.colour);
  }
  return line;
}

std::uint64_t unix_ms_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

constexpr int last_tries = 100;
constexpr std::chrono::milliseconds last_wait{10};
constexpr std::chrono::milliseconds last_flush{1000};

std::string line_of_lost(std::uint64_t lost);

// The log of the process.
class Output {
 public:
  Output() : coloured_(::isatty(STDERR_FILENO) != 0), sink_(STDERR_FILENO, line_of_lost) {}

  void set_format(LogFormat format) { format_.store(format, std::memory_order_relaxed); }

  void write(const LogRecord& record) {
    const std::lock_guard lock(mutex_);
    const std::string written = line(*formatter_, record);
    if (queue_ == nullptr) {
      static_cast<void>(sink_.write(written));
      return;
    }
    queue_->push(written);
    if (ending_) queue_->flush(last_flush);
  }
  void start_queue() {
    const std::lock_guard lock(mutex_);
    if (queue_ == nullptr) queue_ = LogQueue::start(sink_);
  }
  bool flush(std::chrono::milliseconds at_most) {
    LogQueue* const queue = queue_now();
    return queue == nullptr || queue->flush(at_most);
  }
  std::uint64_t dropped() {
    LogQueue* const queue = queue_now();
    return queue == nullptr ? 0 : queue->dropped();
  }
  // At the end of the process. Later lines, such as those of destructors of statics, are flushed one by one.
  void end() {
    core::log_held_lines(INT64_MAX);
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (queue_ != nullptr) queue_->flush(last_flush);
  }
  // Returns false if another thread keeps the log locked.
  bool write_last(std::string_view text) {
    for (int tries = 0; !mutex_.try_lock(); ++tries) {
      if (tries == last_tries) return false;
      std::this_thread::sleep_for(last_wait);
    }
    const std::lock_guard lock(mutex_, std::adopt_lock);
    core::log_held_lines(INT64_MAX);
    write({.unix_ms = unix_ms_now(),
           .level = LogLevel::error,
           .module = "failure",
           .text = text,
           .fields = core::log_fields()});
    return true;
  }

  // Returns a line with its time and its line feed. A formatter serves one thread at a time.
  [[nodiscard]] std::string line(spdlog::formatter& formatter, const LogRecord& record) const {
    if (format_.load(std::memory_order_relaxed) == LogFormat::json) return to_json(record) + '\n';
    return text_line(formatter, record, coloured_);
  }

 private:
  LogQueue* queue_now() {
    const std::lock_guard lock(mutex_);
    return queue_;
  }

  std::recursive_mutex mutex_;  // write_last() writes the reports of suppressed lines while it holds the lock
  const std::unique_ptr<spdlog::formatter> formatter_ = make_formatter();
  const bool coloured_;
  LogSink sink_;               // until the queue is started, which has a copy
  LogQueue* queue_ = nullptr;  // null if lines are written by the threads that log them
  bool ending_ = false;
  std::atomic<LogFormat> format_{LogFormat::text};
};

// Created on first use and never destroyed, so that destructors of other statics can log.
Output& the_output() {
  static Output* const instance = [] {
    auto* const output = new Output;
    std::atexit([] { the_output().end(); });
    return output;
  }();
  return *instance;
}

std::string line_of_lost(std::uint64_t lost) {
  const std::string text = core::format("{} lines are lost here: the log was not read, or its disk was full", lost);
  return the_output().line(*make_formatter(),
                           {.unix_ms = unix_ms_now(), .level = LogLevel::warn, .module = "log", .text = text});
}

}  // namespace

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  if (text == "auto") return ::isatty(STDERR_FILENO) != 0 ? LogFormat::text : LogFormat::json;
  return std::nullopt;
}

void set_log_format(LogFormat format) { the_output().set_format(format); }
void log_in_background() { the_output().start_queue(); }
bool flush_log(std::chrono::milliseconds at_most) { return the_output().flush(at_most); }
std::uint64_t dropped_log_lines() { return the_output().dropped(); }
void write_log_record(const LogRecord& record) { the_output().write(record); }

std::string log_failure(std::string_view text) {
  const std::string line = core::to_text({.module = "failure", .text = text, .fields = core::log_fields()});
  if (the_output().write_last(text)) {
    flush_log(last_flush);
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  return line;
}

}  // namespace mobula::process

#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/log_queue.hpp>
#include <mobula/core/log_repeats.hpp>
#include <mobula/core/log_sink.hpp>
#include <mutex>
#include <thread>

namespace mobula::core {
namespace {

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

// Returns a format string with "…" for each argument: "… joined from …".
std::string readable(std::string_view kind) {
  std::string text;
  for (std::size_t end = 0; !kind.empty(); kind.remove_prefix(end)) {
    const bool argument = kind.front() == '{';
    end = argument ? std::min(kind.find('}'), kind.size() - 1) + 1 : std::min(kind.find('{'), kind.size());
    text += argument ? std::string_view("…") : kind.substr(0, end);
  }
  return text;
}

constexpr int last_tries = 100;
constexpr std::chrono::milliseconds last_wait{10};
constexpr std::chrono::milliseconds last_flush{1000};

std::string line_of_lost(std::uint64_t lost);

// The log of the process. Module levels are looked up under the lock only if some module writes lines of that level.
class Log {
 public:
  Log() : coloured_(::isatty(STDERR_FILENO) != 0), sink_(STDERR_FILENO, line_of_lost) {}

  void set_format(LogFormat format) { format_.store(format, std::memory_order_relaxed); }
  void set_levels(LogLevels levels) {
    const std::lock_guard lock(mutex_);
    lowest_.store(levels.lowest(), std::memory_order_relaxed);
    levels_ = std::move(levels);
  }
  [[nodiscard]] LogLevels levels() {
    const std::lock_guard lock(mutex_);
    return levels_;
  }
  [[nodiscard]] bool enabled(LogLevel level, std::string_view module) {
    if (level < lowest_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(mutex_);
    return level >= levels_.of(module);
  }

  void write(LogLevel level, std::string_view module, std::string_view text, const LogFields& fields) {
    const std::lock_guard lock(mutex_);
    write_held(monotonic_now());
    put(level, module, text, fields);
  }
  // Lines with equal format strings are repeats. Suppressed lines are not formatted.
  void write(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args,
             const LogFields& fields) {
    const std::lock_guard lock(mutex_);
    const Nanoseconds now = monotonic_now();
    write_held(now);
    if (repeats_.admit(level, module, {text.data(), text.size()}, now))
      put(level, module, fmt::vformat(text, args), fields);
  }
  void write_held() {
    const std::lock_guard lock(mutex_);
    write_held(monotonic_now());
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
    const std::lock_guard lock(mutex_);
    write_held(INT64_MAX);
    ending_ = true;
    if (queue_ != nullptr) queue_->flush(last_flush);
  }
  // Returns false if another thread keeps the log locked.
  bool write_last(std::string_view text, const LogFields& fields) {
    for (int tries = 0; !mutex_.try_lock(); ++tries) {
      if (tries == last_tries) return false;
      std::this_thread::sleep_for(last_wait);
    }
    const std::lock_guard lock(mutex_, std::adopt_lock);
    write_held(INT64_MAX);
    put(LogLevel::error, "failure", text, fields);
    return true;
  }

  // Returns a line with its time and its line feed. A formatter serves one thread at a time.
  [[nodiscard]] std::string line(spdlog::formatter& formatter, LogLevel level, std::string_view module,
                                 std::string_view text, const LogFields& fields) const {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const LogRecord record{
        .unix_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()),
        .level = level,
        .module = module,
        .text = text,
        .fields = fields};
    if (format_.load(std::memory_order_relaxed) == LogFormat::json) return to_json(record) + '\n';
    return text_line(formatter, record, coloured_);
  }

 private:
  LogQueue* queue_now() {
    const std::lock_guard lock(mutex_);
    return queue_;
  }
  void write_held(Nanoseconds now) {
    for (const LogRepeats::Held& held : repeats_.take_held(now))
      put(held.level, held.module, format("{} more like this: {}", held.lines, readable(held.kind)), {});
  }
  void put(LogLevel level, std::string_view module, std::string_view text, const LogFields& fields) {
    const std::string written = line(*formatter_, level, module, text, fields);
    if (queue_ == nullptr) {
      static_cast<void>(sink_.write(written));
      return;
    }
    queue_->push(written);
    if (ending_) queue_->flush(last_flush);
  }

  std::mutex mutex_;
  const std::unique_ptr<spdlog::formatter> formatter_ = make_formatter();
  const bool coloured_;
  LogSink sink_;               // until the queue is started, which has a copy
  LogQueue* queue_ = nullptr;  // null if lines are written by the threads that log them
  bool ending_ = false;
  std::atomic<LogFormat> format_{LogFormat::text};
  LogLevels levels_;
  std::atomic<LogLevel> lowest_{LogLevel::info};
  LogRepeats repeats_;
};

// Created on first use and never destroyed, so that destructors of other statics can log.
Log& the_log() {
  static Log* const instance = [] {
    auto* const log = new Log;
    std::atexit([] { the_log().end(); });
    return log;
  }();
  return *instance;
}

std::string line_of_lost(std::uint64_t lost) {
  return the_log().line(*make_formatter(), LogLevel::warn, "log",
                        format("{} lines are lost here: the log was not read, or its disk was full", lost), {});
}

thread_local LogFields fields_of_thread;

}  // namespace

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  if (text == "auto") return ::isatty(STDERR_FILENO) != 0 ? LogFormat::text : LogFormat::json;
  return std::nullopt;
}

void set_log_format(LogFormat format) { the_log().set_format(format); }
void set_log_levels(LogLevels levels) { the_log().set_levels(std::move(levels)); }
LogLevels log_levels() { return the_log().levels(); }
bool log_enabled(LogLevel level, std::string_view module) { return the_log().enabled(level, module); }
void log_held_lines() { the_log().write_held(); }
void log_in_background() { the_log().start_queue(); }
bool flush_log(std::chrono::milliseconds at_most) { return the_log().flush(at_most); }
std::uint64_t dropped_log_lines() { return the_log().dropped(); }

void log_line(LogLevel level, std::string_view module, std::string_view text) {
  if (log_enabled(level, module)) the_log().write(level, module, text, fields_of_thread);
}

void log_formatted(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args) {
  the_log().write(level, module, text, args, fields_of_thread);
}

std::string log_failure(std::string_view text) {
  const std::string line = to_text({.module = "failure", .text = text, .fields = fields_of_thread});
  if (the_log().write_last(text, fields_of_thread)) {
    flush_log(last_flush);
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  return line;
}

LogScope::LogScope(const LogFields& fields) : outer_(fields_of_thread) {
  if (!fields.world.empty()) {
    // Ticks, sessions and entities belong to one world.
    if (!outer_.world.empty() && fields.world != outer_.world) fields_of_thread = {};
    fields_of_thread.world = fields.world;
  }
  if (fields.tick != LogFields::none) fields_of_thread.tick = fields.tick;
  if (fields.session != LogFields::none) fields_of_thread.session = fields.session;
  if (fields.entity.generation != 0) fields_of_thread.entity = fields.entity;
  if (!fields.running.empty()) fields_of_thread.running = fields.running;
}

LogScope::~LogScope() { fields_of_thread = outer_; }

}  // namespace mobula::core

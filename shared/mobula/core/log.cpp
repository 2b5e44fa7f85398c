#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mobula/core/log.hpp>
#include <mobula/core/log_repeats.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/core/spin_lock.hpp>
#include <mobula/core/thrown_fields.hpp>
#include <vector>

namespace mobula::core {
namespace {

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

// Decides which lines are written. Module levels are looked up under the lock only for lines that some modules write
// and others do not. The lock is never held during an output.
class LogFilter {
 public:
  void set_levels(LogLevels levels) {
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    lowest_.store(levels.lowest(), std::memory_order_relaxed);
    highest_.store(levels.highest(), std::memory_order_relaxed);
    std::swap(levels_, levels);
  }
  [[nodiscard]] LogLevels levels() {
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    return levels_;
  }
  [[nodiscard]] bool enabled(LogLevel level, std::string_view module) {
    if (level < lowest_.load(std::memory_order_relaxed)) return false;
    if (level >= highest_.load(std::memory_order_relaxed)) return true;
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    return level >= levels_.of(module);
  }
  // Lines with equal format strings are repeats. Also takes the reports that are due, under the same lock.
  [[nodiscard]] bool admit(LogLevel level, std::string_view module, std::string_view kind, Nanoseconds now,
                           std::vector<LogRepeats::Held>& due) {
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    due = repeats_.take_held(now);
    return repeats_.admit(level, module, kind, now);
  }
  [[nodiscard]] std::vector<LogRepeats::Held> take_held(Nanoseconds now) {
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    return repeats_.take_held(now);
  }
  void restart_repeats() {
    const SpinLock::Guard locked(lock_, [this] { renew(); });
    repeats_ = {};
  }

 private:
  // The child of a fork that interrupted a section has all levels at the lowest, as levels of modules may be torn.
  void renew() {
    std::construct_at(&levels_, LogLevels{.all = lowest_.load(std::memory_order_relaxed)});
    highest_.store(levels_.all, std::memory_order_relaxed);
    std::construct_at(&repeats_);
  }

  SpinLock lock_;
  LogLevels levels_;
  std::atomic<LogLevel> lowest_{LogLevel::info};
  std::atomic<LogLevel> highest_{LogLevel::info};
  LogRepeats repeats_;
};

// Created on first use and never destroyed, so that destructors of other statics can log.
LogFilter& filter() {
  static auto* const instance = new LogFilter;
  return *instance;
}
LogBuffer& buffer() {
  static auto* const instance = new LogBuffer;
  return *instance;
}

std::atomic<LogOutput> output = nullptr;
thread_local LogFields fields_of_thread;

// Fields of the innermost scope that an exception has left, until the next scope begins.
struct ThrownFields {
  LogFields fields;
  bool known = false;
};
thread_local ThrownFields thrown_of_thread;

bool unwinding() { return std::uncaught_exceptions() > 0; }

// Lines alone have the time of day, which decides nothing.
void put(LogLevel level, std::string_view module, std::string_view text, const LogFields& fields) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const LogRecord record{
      .unix_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()),
      .level = level,
      .module = module,
      .text = text,
      .fields = fields};
  const LogOutput write = output.load(std::memory_order_acquire);
  write != nullptr ? write(record) : buffer().write(level, to_text(record));
}

void put_reports(std::span<const LogRepeats::Held> suppressed) {
  for (const LogRepeats::Held& held : suppressed)
    put(held.level, held.module, core::format("{} more like this: {}", held.lines, readable(held.kind)), {});
}

}  // namespace

void set_log_output(LogOutput wanted) { output.store(wanted, std::memory_order_release); }
std::optional<LogBuffer::Line> read_log(std::span<char> text) { return buffer().read(text); }

void set_log_levels(LogLevels levels) { filter().set_levels(std::move(levels)); }
LogLevels log_levels() { return filter().levels(); }
bool log_enabled(LogLevel level, std::string_view module) { return filter().enabled(level, module); }

void log_held_lines(Nanoseconds now) { put_reports(filter().take_held(now)); }

void restart_log_repeats() {
  log_held_lines(INT64_MAX);
  filter().restart_repeats();
}

void log_line(LogLevel level, std::string_view module, std::string_view text) {
  if (!log_enabled(level, module)) return;
  log_held_lines();
  put(level, module, text, fields_of_thread);
}

// Suppressed lines are not formatted.
void log_formatted(LogLevel level, std::string_view module, fmt::string_view text, fmt::format_args args) {
  std::vector<LogRepeats::Held> due;
  const bool admitted = filter().admit(level, module, {text.data(), text.size()}, monotonic_now(), due);
  put_reports(due);
  if (admitted) put(level, module, fmt::vformat(text, args), fields_of_thread);
}

std::string_view running_code() { return fields_of_thread.running; }

LogScope::LogScope(const LogFields& fields) : outer_(fields_of_thread) {
  if (thrown_of_thread.known && !unwinding()) thrown_of_thread.known = false;
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

LogScope::~LogScope() {
  if (!thrown_of_thread.known && unwinding()) thrown_of_thread = {fields_of_thread, true};
  fields_of_thread = outer_;
}

const LogFields& log_fields() { return fields_of_thread; }
const LogFields& thrown_log_fields() { return thrown_of_thread.known ? thrown_of_thread.fields : fields_of_thread; }

}  // namespace mobula::core

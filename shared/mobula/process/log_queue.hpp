// Lines of a log on their way to a thread that writes them. So no other thread waits for a reader, a terminal or a
// disk.
//
//   push ──► queue of at most bytes_max ──► thread ──► LogSink
//
// The newest lines are dropped when the queue is full: what is written has one gap, where the sink reports it. The
// thread is never joined, since it may wait for its reader for ever. It blocks all signals, so SIGPIPE ends nothing. A
// forked child has the queue without the thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mobula/process/log_sink.hpp>
#include <mutex>
#include <string>
#include <string_view>

namespace mobula::process {

/// Queue of lines with the thread that writes them. It is never destroyed.
class LogQueue {
 public:
  static constexpr std::size_t default_bytes_max = 1024 * 1024;

  /// Starts the thread. Returns null if the system has no thread left.
  static LogQueue* start(const LogSink& sink, std::size_t bytes_max = default_bytes_max);

  /// Adds a line, which ends with a line feed. Never waits for the reader.
  void push(std::string_view line);
  /// Waits until all lines pushed before are written or lost. Returns false if that takes longer than `at_most`.
  bool flush(std::chrono::milliseconds at_most);
  /// Returns the lines since the start that found no room or could not be written.
  [[nodiscard]] std::uint64_t dropped();

 private:
  LogQueue(const LogSink& sink, std::size_t bytes_max) : sink_(sink), bytes_max_(bytes_max) {}
  ~LogQueue() = default;
  [[noreturn]] void run();
  std::uint64_t write_taken();

  LogSink sink_;         // belongs to the thread
  std::string writing_;  // belongs to the thread
  const std::size_t bytes_max_;
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::condition_variable written_;
  std::string queue_;                 // lines
  std::uint64_t unreported_ = 0;      // dropped since the thread last took the queue
  std::uint64_t dropped_ = 0;         // since the start, with those that could not be written
  std::uint64_t pushed_bytes_ = 0;    // since the start
  std::uint64_t finished_bytes_ = 0;  // written or lost since the start
};

}  // namespace mobula::process

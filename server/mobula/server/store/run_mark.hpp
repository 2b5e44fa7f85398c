// How the last run of a world ended. The text is kept in world.db.lock:
//
//   empty              in good order, or there was no run
//   "running"          the process was killed, or the machine stopped
//   a log line         a check failed
#pragma once

#include <mobula/process/failure_report.hpp>
#include <mobula/server/store/file_lock.hpp>
#include <optional>
#include <string>

namespace mobula::store {

/// Marks a run in the world's lock file, which it owns.
class RunMark {
 public:
  explicit RunMark(FileLock lock);

  /// Returns how the last run ended, a sentence. Empty if it ended in good order.
  [[nodiscard]] const std::string& last_end() const { return last_end_; }
  /// Begins the run. Without finish() the next run learns how it ended.
  void begin();
  void finish();

 private:
  FileLock lock_;
  std::string last_end_;
  std::optional<process::FailureListener> listener_;
};

}  // namespace mobula::store

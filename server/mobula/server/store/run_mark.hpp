// How the last run of a world ended. The text is kept in world.db.lock:
//
//   empty              in good order, or there was no run
//   "running"          the process was killed or ended by a second Ctrl-C, or the machine stopped
//   a log line         a check failed, or the game threw an exception
#pragma once

#include <mobula/process/failure_report.hpp>
#include <mobula/server/store/file_lock.hpp>
#include <string>
#include <string_view>

namespace mobula::store {

/// Marks a run in the world's lock file, which it owns.
class RunMark {
 public:
  explicit RunMark(FileLock lock);

  /// Returns how the last run ended, a sentence. Empty if it ended in good order.
  [[nodiscard]] const std::string& last_end() const { return last_end_; }
  /// Begins the run. Without finish() the next run learns how it ended. Failed checks are noted from the start of the
  /// program until its end, so before begin() and after finish() too.
  void begin();
  /// Notes a line about a failure that ends the run.
  void fail(std::string_view line);
  void finish();

 private:
  FileLock lock_;
  std::string last_end_;
  bool begun_ = false;
  process::FailureListener listener_;  // the last member: it uses the lock
};

}  // namespace mobula::store

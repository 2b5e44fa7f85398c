// The thread that writes batches into the world's file.
//
//   free ─ write() ─► writing ─► free          the batch is on the disk
//                        │  ▲
//                        ▼  └── retry()
//                      failed                  the batch is kept
//
// It reads no clock: the simulation thread decides when to retry.
// After each batch the write-ahead log is moved into the file, as far as readers permit. A log above its limit is
// emptied first, which needs a moment without readers; until then nothing is written.
#pragma once

#include <condition_variable>
#include <memory>
#include <mobula/server/store/batch_writer.hpp>
#include <mobula/server/store/store.hpp>
#include <mobula/server/store/world_file.hpp>
#include <mutex>
#include <optional>
#include <thread>

namespace mobula::store {

/// Writes one batch at a time.
class WriterThread {
 public:
  /// With `same_world` the first batch updates the file's world; else it replaces it.
  WriterThread(const StoreConfig& config, WorldFile file, bool same_world);
  ~WriterThread();
  /// Starts the thread. Error: "no thread".
  core::Status start();

  /// Returns the batch to fill. Null until the last one is written.
  [[nodiscard]] Batch* free_batch();
  /// Hands the filled batch to the thread.
  void write();
  /// Repeats a failed write, one second after the first call since the failure.
  void retry(core::Nanoseconds now);
  /// Waits until the thread runs and its batch is written or has failed.
  void wait();
  /// Waits until the batch is free. Returns the last error after `tries` attempts, a second apart.
  core::Status drain(std::uint32_t tries);
  /// Ends the thread, moves the log into the file and closes it. The batch must be free.
  void close();
  /// Gives the run's incarnation back. No batch may have been written.
  void undo_start();

  [[nodiscard]] StoreStatus status() const;

 private:
  enum class State { free, writing, failed };

  void run();
  void end_thread();
  void write_once(BatchWriter& writer);
  core::Status bound_log();
  void note_written(const WrittenBatch& written, core::Nanoseconds took);
  void note_failure(const core::Error& error);
  void set_state(State state);

  const StoreConfig config_;
  WorldFile file_;
  Batch batch_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::free;  // state of the batch
  bool has_begun_ = false;     // the thread has read the file's world
  bool stopping_ = false;
  bool closed_ = false;
  StoreStatus status_;
  std::optional<core::Error> error_;
  core::Nanoseconds retry_at_ = 0;  // used by the simulation thread; 0 if no retry is due

  std::thread thread_;
};

}  // namespace mobula::store

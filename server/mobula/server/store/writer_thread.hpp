// The thread that writes. It has one batch at a time: handed over, written, given back. What fails stays with it, and
// is tried again with the same batch whenever it is told to: it looks at no clock of its own.
//
// The write-ahead log is moved into the file after each batch, as far as readers let it. Beyond its limit it is emptied
// first, which needs that nobody reads; until then nothing is written.
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

class WriterThread {
 public:
  // `same_world`: the file's world is what the first batch goes on from.
  WriterThread(const StoreConfig& config, WorldFile file, bool same_world);
  ~WriterThread();
  // Reason: "no thread".
  core::Status start();

  // The batch to be filled; null until what was handed over before is written.
  [[nodiscard]] Batch* free_batch();
  void write();
  // A second after it has failed, as of the first call since; at any other time nothing happens.
  void retry(core::Nanoseconds now);
  // Until it has begun, and written what it has, or failed to.
  void wait();
  // Until the batch is free again; the error that is in the way if so many tries, a second apart, do not help.
  core::Status drain(std::uint32_t tries);
  // When the batch is free: the log goes into the file, which is closed.
  void close();
  // Where nothing was handed over: the run does not count.
  void take_back_start();

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
  State state_ = State::free;  // of the batch
  bool has_begun_ = false;     // what it goes on from is looked through
  bool stopping_ = false;
  bool closed_ = false;
  StoreStatus status_;
  std::optional<core::Error> error_;
  core::Nanoseconds retry_at_ = 0;  // of the simulation thread; 0: nothing has failed

  std::thread thread_;
};

}  // namespace mobula::store

// The thread that writes. It has one batch at a time: handed over, written, given back. What fails is tried again each
// second, with the same batch, for as long as it takes.
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

  // The batch to be filled; null while the writer has it.
  [[nodiscard]] Batch* free_batch();
  void write();
  // Until the batch is free again; the error that is in the way if that takes too long.
  core::Status wait(core::Nanoseconds patience);
  // When the batch is free: the log goes into the file, which is closed.
  void close();

  [[nodiscard]] StoreStatus status() const;

 private:
  void run(std::unique_ptr<SavedWorld> remembered);
  bool write_once(BatchWriter& writer);
  core::Status bound_log();
  bool note_written(const WrittenBatch& written, core::Nanoseconds took);
  bool note_failure(const core::Error& error);

  const StoreConfig config_;
  WorldFile file_;
  Batch batch_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool handed_ = false;  // the writer has the batch
  bool stopping_ = false;
  StoreStatus status_;
  std::optional<core::Error> error_;

  std::thread thread_;
};

}  // namespace mobula::store

#include <chrono>
#include <mobula/core/log.hpp>
#include <mobula/server/store/writer_thread.hpp>

namespace mobula::store {
namespace {

constexpr std::chrono::seconds retry_interval(1);

}  // namespace

WriterThread::WriterThread(const StoreConfig& config, WorldFile file, bool same_world)
    : config_(config), file_(std::move(file)) {
  status_.incarnation = file_.content.incarnation;
  status_.file_bytes = file_bytes(config_.path);
  file_.database.keep_log_at_close(false);
  std::unique_ptr<SavedWorld> remembered = std::move(file_.content.world);
  if (!same_world) remembered.reset();
  thread_ = std::thread([this, world = std::move(remembered)]() mutable { run(std::move(world)); });
}

WriterThread::~WriterThread() { close(); }

Batch* WriterThread::free_batch() {
  const std::lock_guard lock(mutex_);
  return handed_ ? nullptr : &batch_;
}

void WriterThread::write() {
  {
    const std::lock_guard lock(mutex_);
    handed_ = true;
  }
  changed_.notify_all();
}

core::Status WriterThread::wait(core::Nanoseconds patience) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::nanoseconds(patience), [&] { return !handed_; })) return core::Done{};
  return error_ ? *error_ : core::Error{"busy", "the last checkpoint is still being written"};
}

void WriterThread::close() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  static_cast<void>(file_.database.move_log(true));
  const Database closing = std::move(file_.database);
}

StoreStatus WriterThread::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void WriterThread::run(std::unique_ptr<SavedWorld> remembered) {
  BatchWriter writer(file_.database, config_.schema, file_.content.incarnation);
  if (remembered != nullptr) writer.remember(*remembered);
  remembered.reset();
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return handed_ || stopping_; });
    while (handed_ && !stopping_) {
      lock.unlock();
      const bool done = write_once(writer);
      lock.lock();
      if (!done) changed_.wait_for(lock, retry_interval, [&] { return stopping_; });
    }
    if (stopping_) return;
  }
}

bool WriterThread::write_once(BatchWriter& writer) {
  const core::Nanoseconds began = core::monotonic_now();
  if (core::Status bounded = bound_log(); !bounded) return note_failure(bounded.error());
  const core::Result<WrittenBatch> written = writer.write(batch_);
  if (!written) return note_failure(written.error());
  const core::Nanoseconds took = core::monotonic_now() - began;
  static_cast<void>(file_.database.move_log(false));  // what readers need stays
  return note_written(*written, took);
}

core::Status WriterThread::bound_log() {
  const std::uint64_t bytes = file_bytes(config_.path + "-wal");
  if (bytes < config_.log_bytes_max) return core::Done{};
  const core::Result<LogProgress> moved = file_.database.move_log(true);
  if (moved) return core::Done{};
  if (std::string_view(moved.error().reason) != "busy") return moved.error();
  return core::Error{"log full", core::format("{}-wal has grown to {} MB, since another program reads the world for "
                                              "long: nothing is saved until it ends ({})",
                                              config_.path, bytes >> 20, moved.error().message)};
}

bool WriterThread::note_written(const WrittenBatch& written, core::Nanoseconds took) {
  core::log_debug("store", "tick {} is on the disk: state {:016x}, {} rows, {} µs", batch_.facts.tick,
                  written.entities_sum, written.rows, took / core::microsecond);
  const std::uint64_t file = file_bytes(config_.path);
  const std::uint64_t log = file_bytes(config_.path + "-wal");
  // Nobody else sets error_; the simulation waits for the lock, and neither for the log nor for the disk.
  if (error_) core::log_info("store", "{} is saved again, as of tick {}", config_.path, batch_.facts.tick);
  const std::lock_guard lock(mutex_);
  error_.reset();
  status_.error.clear();
  status_.tick = batch_.facts.tick;
  status_.unix_time = batch_.facts.unix_time;
  status_.write_time = took;
  status_.rows = written.rows;
  status_.state = written.entities_sum;
  ++status_.checkpoints;
  status_.file_bytes = file;
  status_.log_bytes = log;
  handed_ = false;
  changed_.notify_all();
  return true;
}

// Each reason is told once, until it is over.
bool WriterThread::note_failure(const core::Error& error) {
  if (!error_ || std::string_view(error_->reason) != error.reason)
    core::log_error("store", "{} is not saved, and tried again each second: {}: {}", config_.path, error.reason,
                    error.message);
  const std::uint64_t log = file_bytes(config_.path + "-wal");
  const std::lock_guard lock(mutex_);
  error_ = error;
  status_.error = error.message;
  ++status_.failures;
  status_.log_bytes = log;
  return false;
}

}  // namespace mobula::store

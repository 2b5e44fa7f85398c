#include <chrono>
#include <mobula/core/log.hpp>
#include <mobula/server/store/writer_thread.hpp>

namespace mobula::store {
namespace {

constexpr core::Nanoseconds retry_interval = core::second;

}  // namespace

WriterThread::WriterThread(const StoreConfig& config, WorldFile file, bool same_world)
    : config_(config), file_(std::move(file)) {
  status_.incarnation = file_.content.incarnation;
  status_.file_bytes = file_bytes(config_.path);
  file_.database.keep_log_at_close(false);
  if (!same_world) file_.content.world.reset();
}

WriterThread::~WriterThread() { close(); }

core::Status WriterThread::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return core::Error{"no thread", core::format("cannot start the thread that saves the world: {}", error.what())};
  }
  return core::Done{};
}

Batch* WriterThread::free_batch() {
  const std::lock_guard lock(mutex_);
  return state_ == State::free ? &batch_ : nullptr;
}

void WriterThread::set_state(State state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  changed_.notify_all();
}

void WriterThread::write() { set_state(State::writing); }

void WriterThread::retry(core::Nanoseconds now) {
  std::unique_lock lock(mutex_);
  const bool failed = state_ == State::failed;
  lock.unlock();
  if (failed && retry_at_ == 0) {
    retry_at_ = now + retry_interval;
  } else if (failed && now >= retry_at_) {
    retry_at_ = 0;
    set_state(State::writing);
  }
}

void WriterThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return has_begun_ && state_ != State::writing; });
}

core::Status WriterThread::drain(std::uint32_t tries) {
  wait();
  for (std::uint32_t i = 0; i < tries && free_batch() == nullptr; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(retry_interval));
    set_state(State::writing);
    wait();
  }
  if (free_batch() != nullptr) return core::Done{};
  return error_.value_or(core::Error{"file error", "the last checkpoint is not written"});
}

void WriterThread::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WriterThread::undo_start() {
  end_thread();
  file_.undo_start();
}

void WriterThread::close() {
  if (std::exchange(closed_, true)) return;
  end_thread();
  if (file_.check_place()) {
    static_cast<void>(file_.database.move_log(true));
  } else {
    file_.database.keep_log_at_close(true);
  }
  const Database closing = std::move(file_.database);
}

StoreStatus WriterThread::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void WriterThread::run() {
  BatchWriter writer(file_.database, config_.schema, file_.content.incarnation);
  if (file_.content.world != nullptr) writer.remember(*file_.content.world);
  file_.content.world.reset();
  std::unique_lock lock(mutex_);
  has_begun_ = true;
  changed_.notify_all();
  for (;;) {
    changed_.wait(lock, [&] { return state_ == State::writing || stopping_; });
    if (stopping_) return;
    lock.unlock();
    write_once(writer);
    lock.lock();
  }
}

void WriterThread::write_once(BatchWriter& writer) {
  const core::Nanoseconds began = core::monotonic_now();
  if (core::Status in_place = file_.check_place(); !in_place) return note_failure(in_place.error());
  if (core::Status bounded = bound_log(); !bounded) return note_failure(bounded.error());
  const core::Result<WrittenBatch> written = writer.write(batch_);
  const core::Nanoseconds took = core::monotonic_now() - began;
  // Moves the log even after a failure: a moved log is overwritten, which on a full disk is the only room.
  static_cast<void>(file_.database.move_log(false));
  if (!written) return note_failure(written.error());
  note_written(*written, took);
}

core::Status WriterThread::bound_log() {
  const std::uint64_t bytes = file_bytes(config_.path + "-wal");
  if (bytes < config_.log_bytes_max) return core::Done{};
  const core::Result<LogProgress> moved = file_.database.move_log(true);
  if (moved) return core::Done{};
  if (std::string_view(moved.error().reason) != "busy") return moved.error();
  return core::Error{"log full", core::format("{}-wal has grown to {} MB, as another program reads the world without a "
                                              "pause: nothing is saved until it ends ({})",
                                              config_.path, bytes >> 20, moved.error().message)};
}

void WriterThread::note_written(const WrittenBatch& written, core::Nanoseconds took) {
  core::log_debug("store", "tick {} is on the disk: state {:016x}, {} rows, {} µs", batch_.facts.tick,
                  written.entities_sum, written.rows, took / core::microsecond);
  const std::uint64_t file = file_bytes(config_.path);
  const std::uint64_t log = file_bytes(config_.path + "-wal");
  // Only this thread sets error_. Files and log are used before the lock, for which the simulation thread may wait.
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
  state_ = State::free;
  changed_.notify_all();
}

// Logs a reason once, until it changes or a write succeeds.
void WriterThread::note_failure(const core::Error& error) {
  if (!error_ || std::string_view(error_->reason) != error.reason)
    core::log_error("store", "{} is not saved, retrying each second: {}: {}", config_.path, error.reason,
                    error.message);
  const std::uint64_t log = file_bytes(config_.path + "-wal");
  const std::lock_guard lock(mutex_);
  error_ = error;
  status_.error = error.message;
  ++status_.failures;
  status_.log_bytes = log;
  state_ = State::failed;
  changed_.notify_all();
}

}  // namespace mobula::store

#include <signal.h>

#include <mobula/process/log_queue.hpp>
#include <system_error>
#include <thread>
#include <utility>

namespace mobula::process {
namespace {

// Blocks all signals of this thread, and of those it starts, during its lifetime.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

LogQueue* LogQueue::start(const LogSink& sink, std::size_t bytes_max) {
  auto* const queue = new LogQueue(sink, bytes_max);
  const BlockedSignals blocked;
  try {
    std::thread([queue] { queue->run(); }).detach();
  } catch (const std::system_error&) {
    delete queue;
    return nullptr;
  }
  return queue;
}

void LogQueue::push(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() + line.size() > bytes_max_) {
      ++unreported_;
      ++dropped_;
      return;
    }
    queue_ += line;
    pushed_bytes_ += line.size();
  }
  pushed_.notify_one();
}

bool LogQueue::flush(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = pushed_bytes_;
  return written_.wait_for(lock, at_most, [&] { return finished_bytes_ >= last; });
}

std::uint64_t LogQueue::dropped() {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

// Returns the lines that could not be written.
std::uint64_t LogQueue::write_taken() {
  std::uint64_t lost = 0;
  for (std::string_view rest = writing_; !rest.empty();) {
    const std::size_t end = rest.find('\n') + 1;
    if (!sink_.write(rest.substr(0, end))) ++lost;
    rest.remove_prefix(end);
  }
  return lost;
}

// Lines are dropped only while the queue is full, so the dropped ones follow those that are taken.
void LogQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    pushed_.wait(lock, [&] { return !queue_.empty(); });
    writing_.swap(queue_);
    const std::uint64_t dropped = std::exchange(unreported_, 0);
    lock.unlock();
    const std::uint64_t lost = write_taken();
    if (dropped > 0) sink_.add_lost(dropped);
    lock.lock();
    dropped_ += lost;
    finished_bytes_ += writing_.size();
    writing_.clear();
    written_.notify_all();
  }
}

}  // namespace mobula::process

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/admin/request_queue.hpp>

namespace mobula::server::admin {

bool RequestQueue::put(const std::shared_ptr<QueuedRequest>& question) {
  const std::lock_guard lock(mutex_);
  MOBULA_ASSERT(question->state_ == QueuedRequest::State::fresh, "a question is put once");
  if (questions_.size() == waiting_max) return false;
  questions_.push_back(question);
  question->state_ = QueuedRequest::State::waiting;
  waiting_.store(questions_.size(), std::memory_order_release);
  return true;
}

bool RequestQueue::withdraw(QueuedRequest& question) {
  const std::lock_guard lock(mutex_);
  if (question.state_ != QueuedRequest::State::waiting) return false;
  std::erase_if(questions_, [&](const auto& each) { return each.get() == &question; });
  question.state_ = QueuedRequest::State::withdrawn;
  waiting_.store(questions_.size(), std::memory_order_release);
  return true;
}

std::shared_ptr<QueuedRequest> RequestQueue::take() {
  const std::lock_guard lock(mutex_);
  if (questions_.empty()) return nullptr;
  std::shared_ptr<QueuedRequest> question = std::move(questions_.front());
  questions_.pop_front();
  question->state_ = QueuedRequest::State::begun;
  waiting_.store(questions_.size(), std::memory_order_release);
  return question;
}

std::size_t RequestQueue::serve_waiting(core::Nanoseconds budget) {
  const core::Nanoseconds end = clock_() + budget;
  std::size_t count = 0;
  while (std::shared_ptr<QueuedRequest> question = take()) {
    question->work();
    QueuedRequest& asked = *question;
    asked.hand_back(std::move(question));
    ++count;
    if (clock_() >= end) break;
  }
  return count;
}

}  // namespace mobula::server::admin

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/admin/request_queue.hpp>

namespace mobula::server::admin {

bool RequestQueue::put(const std::shared_ptr<QueuedRequest>& request) {
  const std::lock_guard lock(mutex_);
  MOBULA_ASSERT(request->state_ == QueuedRequest::State::fresh, "a request is put once");
  if (requests_.size() == waiting_max) return false;
  requests_.push_back(request);
  request->state_ = QueuedRequest::State::waiting;
  waiting_.store(requests_.size(), std::memory_order_release);
  return true;
}

bool RequestQueue::withdraw(QueuedRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.state_ != QueuedRequest::State::waiting) return false;
  std::erase_if(requests_, [&](const auto& each) { return each.get() == &request; });
  request.state_ = QueuedRequest::State::withdrawn;
  waiting_.store(requests_.size(), std::memory_order_release);
  return true;
}

std::shared_ptr<QueuedRequest> RequestQueue::take() {
  const std::lock_guard lock(mutex_);
  if (requests_.empty()) return nullptr;
  std::shared_ptr<QueuedRequest> request = std::move(requests_.front());
  requests_.pop_front();
  request->state_ = QueuedRequest::State::begun;
  waiting_.store(requests_.size(), std::memory_order_release);
  return request;
}

std::size_t RequestQueue::serve_waiting(core::Nanoseconds budget) {
  const core::Nanoseconds end = clock_() + budget;
  std::size_t count = 0;
  while (std::shared_ptr<QueuedRequest> request = take()) {
    request->work();
    QueuedRequest& served = *request;
    served.hand_back(std::move(request));
    ++count;
    if (clock_() >= end) break;
  }
  return count;
}

}  // namespace mobula::server::admin

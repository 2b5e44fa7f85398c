#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/admin/desk.hpp>

namespace mobula::server::admin {

bool Desk::put(const std::shared_ptr<DeskQuestion>& question) {
  const std::lock_guard lock(mutex_);
  MOBULA_ASSERT(question->state_ == DeskQuestion::State::fresh, "a question is put once");
  if (questions_.size() == waiting_max) return false;
  questions_.push_back(question);
  question->state_ = DeskQuestion::State::waiting;
  waiting_.store(questions_.size(), std::memory_order_release);
  return true;
}

bool Desk::withdraw(DeskQuestion& question) {
  const std::lock_guard lock(mutex_);
  if (question.state_ != DeskQuestion::State::waiting) return false;
  std::erase_if(questions_, [&](const auto& each) { return each.get() == &question; });
  question.state_ = DeskQuestion::State::withdrawn;
  waiting_.store(questions_.size(), std::memory_order_release);
  return true;
}

std::shared_ptr<DeskQuestion> Desk::take() {
  const std::lock_guard lock(mutex_);
  if (questions_.empty()) return nullptr;
  std::shared_ptr<DeskQuestion> question = std::move(questions_.front());
  questions_.pop_front();
  question->state_ = DeskQuestion::State::begun;
  waiting_.store(questions_.size(), std::memory_order_release);
  return question;
}

std::size_t Desk::serve_waiting(core::Nanoseconds budget) {
  const core::Nanoseconds end = clock_() + budget;
  std::size_t count = 0;
  while (std::shared_ptr<DeskQuestion> question = take()) {
    question->work();
    DeskQuestion& asked = *question;
    asked.hand_back(std::move(question));
    ++count;
    if (clock_() >= end) break;
  }
  return count;
}

}  // namespace mobula::server::admin

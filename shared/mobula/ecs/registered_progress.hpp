// Progress of an iteration that its pools and its group know, so that they report their changes to it.
#pragma once

#include <array>
#include <memory>
#include <mobula/ecs/group_set.hpp>
#include <utility>

namespace mobula::ecs::detail {

template <std::size_t Count>
class RegisteredProgress {
 public:
  RegisteredProgress(const std::array<Pool*, Count>& pools, GroupSet* group, const SparseSet& lead)
      : pools_(pools), group_(group), progress_(lead) {
    begin();
  }
  RegisteredProgress(RegisteredProgress&& other) noexcept
      : pools_(other.pools_), group_(other.group_), progress_(std::move(other.progress_)) {
    other.end();
    other.ended_ = true;
    begin();
  }
  RegisteredProgress& operator=(RegisteredProgress&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~RegisteredProgress() {
    if (!ended_) end();
  }

  [[nodiscard]] IterationProgress& operator*() { return progress_; }
  [[nodiscard]] IterationProgress* operator->() { return &progress_; }
  [[nodiscard]] const IterationProgress* operator->() const { return &progress_; }

 private:
  void begin() {
    for (std::size_t i = 0; i <= Count; ++i) links_[i].progress = &progress_;
    for (std::size_t i = 0; i < Count; ++i) pools_[i]->begin_iteration(links_[i]);
    if (group_ != nullptr) group_->iterations().begin(links_[Count]);
  }
  void end() {
    for (std::size_t i = 0; i < Count; ++i) pools_[i]->end_iteration(links_[i]);
    if (group_ != nullptr) group_->iterations().end(links_[Count]);
  }

  std::array<Pool*, Count> pools_;
  GroupSet* group_;
  IterationProgress progress_;
  std::array<Iterations::Link, Count + 1> links_{};
  bool ended_ = false;
};

}  // namespace mobula::ecs::detail

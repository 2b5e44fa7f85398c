// Commits of keys that are repeated until the directory shows their values, but not before it could.
#pragma once

#include <map>
#include <mobula/server/cluster/directory.hpp>

namespace mobula::cluster {

class Attempts {
 public:
  /// Returns true if a key may be committed on a revision. No commit of it is unanswered then, and the last one was on
  /// another revision, or some time ago.
  [[nodiscard]] bool allow(std::string_view key, Revision modified, core::Nanoseconds now) const {
    const auto found = attempts_.find(key);
    if (found == attempts_.end()) return true;
    const Attempt& last = found->second;
    return last.request == 0 && (last.modified != modified || now >= last.answered + Directory::retry_interval);
  }
  void add(std::string_view key, Revision modified, RequestId request) {
    attempts_[std::string(key)] = {request, modified, 0};
  }
  /// Returns false for replies to others' requests.
  bool on_reply(const Reply& reply, core::Nanoseconds now) {
    for (auto& [key, attempt] : attempts_) {
      if (attempt.request != reply.request) continue;
      attempt.request = 0;
      attempt.answered = now;
      failed_ += reply.error ? 1 : 0;
      trouble_ = reply.error ? reply.error->message : "";
      return true;
    }
    return false;
  }
  [[nodiscard]] bool empty() const { return attempts_.empty(); }
  /// Returns the number of commits that ended with an error. A condition that does not hold is none.
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// Returns why the last commit failed. Empty after a success.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Forgets attempts that hold back no more commits.
  void forget_old(core::Nanoseconds now) {
    std::erase_if(attempts_, [now](const auto& each) {
      return each.second.request == 0 && now >= each.second.answered + Directory::retry_interval;
    });
  }

 private:
  struct Attempt {
    RequestId request = 0;  // unanswered; 0 for none
    Revision modified = 0;
    core::Nanoseconds answered = 0;
  };

  std::map<std::string, Attempt, std::less<>> attempts_;
  std::uint64_t failed_ = 0;
  std::string trouble_;
};

}  // namespace mobula::cluster

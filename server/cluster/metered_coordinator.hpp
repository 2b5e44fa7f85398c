// A coordinator that counts what passes through it. It also keeps the replies to its owner's commits apart from those
// that a placer polls.
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/coordinator.hpp>
#include <optional>
#include <set>

namespace mobula::cluster {

struct CoordinatorCounters {
  std::uint64_t placements = 0;                   // commits that gave a world to a node
  std::uint64_t conflicts = 0;                    // commits whose conditions did not hold
  std::uint64_t failed_commits = 0;               // commits that ended with an error
  std::optional<core::Nanoseconds> contact = {};  // time of the last answer or change; nothing before the first
};

class MeteredCoordinator final : public Coordinator {
 public:
  /// `coordinator` must outlive it.
  explicit MeteredCoordinator(Coordinator& coordinator) : of_(coordinator) {}

  /// Sets the time of what is polled next.
  void set_now(core::Nanoseconds now) { now_ = now; }
  [[nodiscard]] const CoordinatorCounters& counters() const { return counters_; }

  /// Commits for the owner. poll_own() returns the reply, poll() does not.
  RequestId commit_own(const Transaction& transaction);
  /// Returns a reply that poll() has passed over. Null if there is none.
  std::optional<Reply> poll_own();

  RequestId list(std::string_view prefix) override { return of_.list(prefix); }
  RequestId commit(const Transaction& transaction) override;
  RequestId grant(core::Nanoseconds ttl) override { return of_.grant(ttl); }
  RequestId keep_alive(LeaseId lease) override { return of_.keep_alive(lease); }
  RequestId revoke(LeaseId lease) override { return of_.revoke(lease); }
  RequestId survey() override { return of_.survey(); }
  void watch(std::string_view prefix, Revision from) override { of_.watch(prefix, from); }
  std::optional<Reply> poll() override;
  std::optional<Changes> poll_changes() override;

 private:
  void count(const Reply& reply);

  Coordinator& of_;
  core::Nanoseconds now_ = 0;
  CoordinatorCounters counters_;
  std::map<RequestId, bool> commits_;  // unanswered; whether each gives a world to a node
  std::set<RequestId> own_;            // unanswered
  std::deque<Reply> own_replies_;
};

}  // namespace mobula::cluster

// Survey of etcd's members: whether those without a leader leave no majority.
//
//   begin() ──► each member: its status, then the list of members ──► without_majority()
//
// A member is without a leader if it answers so, or if its address refuses connections: then no process listens there.
// A member that does not answer may have one. Former surveys know which members vote, by the leader's list, and which
// address is whose. So a majority is never denied before one was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <set>
#include <string>
#include <vector>

namespace mobula::net {
class EventLoop;
class HttpConnection;
}  // namespace mobula::net

namespace mobula::cluster {

class EtcdSurvey {
 public:
  /// The loop must outlive it. Members answer within `timeout`.
  EtcdSurvey(net::EventLoop& events, core::Nanoseconds timeout);
  ~EtcdSurvey();

  /// Begins a survey of the members at these URLs, always in the same order. An empty one is not known yet. `store` is
  /// the cluster that they belong to; 0 if it is not known. Returns false if there is nobody to ask. The loop calls
  /// `on_end`. Not while a survey is under way.
  bool begin(const std::vector<std::string>& urls, std::uint64_t store, std::function<void()> on_end);
  [[nodiscard]] bool is_under_way() const { return open_ > 0; }
  /// Returns whether no majority existed during the last survey.
  [[nodiscard]] bool without_majority() const;

 private:
  enum class Finding : std::uint8_t { unknown, has_leader, no_leader };
  struct Member {
    std::unique_ptr<net::HttpConnection> connection{};
    std::uint64_t id = 0;  // 0 until it has answered once
    Finding finding = Finding::unknown;
  };

  void on_status(Member& member, const core::Result<std::string>& answer);
  void on_members(const core::Result<std::string>& answer);
  void end_one();

  net::EventLoop& events_;
  core::Nanoseconds timeout_;
  std::vector<Member> members_;
  std::set<std::uint64_t> voters_;  // as the leader has listed them last; empty before
  std::size_t open_ = 0;            // members that have not answered
  std::uint64_t store_ = 0;
  std::function<void()> on_end_;
};

}  // namespace mobula::cluster

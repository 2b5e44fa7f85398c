// Coordinator over etcd's JSON gateway: HTTP/1.1 on the thread of an event loop. Leases, other requests, the watch and
// surveys have connections of their own, so that none waits for another. A connection that fails goes to the next
// member.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>
#include <mobula/server/cluster/etcd_survey.hpp>
#include <mobula/server/cluster/host_lookup.hpp>

namespace mobula::net {
class HttpConnection;
}

namespace mobula::cluster {

/// Members run with --heartbeat-interval 50 --election-timeout 300. With etcd's defaults, an election takes 1 to 2 s,
/// and the leases of all nodes end. A member with --host-whitelist lists its IP address too: requests name the address.
struct EtcdConfig {
  std::vector<std::string> members{};  // "http://HOST:PORT", at least one
  core::Nanoseconds request_timeout = 2 * core::second;
  core::Nanoseconds lease_timeout = core::second / 2;
  LookUp look_up{};  // for host names, called by other threads; empty for net::resolve
};

/// Maximum number of members. etcd recommends at most seven.
inline constexpr std::size_t members_max = 16;

/// Splits "http://a:2379,http://b:2379". Ports are necessary, paths and second mentions are refused. Errors:
/// "bad address", which names the part and the limit.
core::Result<std::vector<std::string>> parse_members(std::string_view text);

class Etcd final : public Coordinator {
 public:
  /// The loop must outlive it. It calls `on_arrival` when there is something to poll.
  Etcd(net::EventLoop& events, EtcdConfig config, std::function<void()> on_arrival = {});
  ~Etcd() override;

  RequestId list(std::string_view prefix) override;
  RequestId commit(const Transaction& transaction) override;
  RequestId grant(core::Nanoseconds ttl) override;
  RequestId keep_alive(LeaseId lease) override;
  RequestId revoke(LeaseId lease) override;
  RequestId survey() override;
  void watch(std::string_view prefix, Revision from) override;
  std::optional<Reply> poll() override;
  std::optional<Changes> poll_changes() override;

  /// Returns the URL of the member that answered last. Empty after an error.
  [[nodiscard]] const std::string& member() const { return member_; }

 private:
  // A connection to one of the members, and the requests that wait for their answers on it.
  struct Line {
    std::unique_ptr<net::HttpConnection> connection;  // null before the member's address is known
    std::size_t member = 0;
    core::Nanoseconds timeout = 0;
    std::deque<RequestId> waiting;
    std::deque<EtcdRequest> unsent;    // until the address is known
    core::Nanoseconds lookup_end = 0;  // then they fail
  };

  RequestId send(Line& line, EtcdRequest request);
  void post(Line& line, EtcdRequest request);
  net::HttpConnection* connected(Line& line);
  void handle_lookups();
  void handle_lookup(Line& line, const std::optional<core::Error>& error, core::Nanoseconds now);
  void on_answer(Line& line, core::Result<std::string> answer);
  void fail(Line& line, const core::Error& error);
  void drop(Line& line, const core::Error& error);
  void arrive() const;
  void on_watch_line(std::string_view text);
  [[nodiscard]] bool is_known_store(std::uint64_t store);

  net::EventLoop& events_;
  EtcdConfig config_;
  std::function<void()> on_arrival_;
  RequestId last_ = 0;
  std::uint64_t store_ = 0;  // the first answer was from it
  std::string member_;
  std::vector<HostLookup> lookups_;  // by member
  EtcdSurvey survey_;
  Line requests_;
  Line leases_;
  Line watch_;
  std::deque<Reply> replies_;
  std::deque<Changes> changes_;
};

}  // namespace mobula::cluster

// An in-process coordinator with the outcomes of etcd: linearizable transactions, leases, watches, compaction. Time is
// given. Its clients lose requests, answers and changes as a network does.
#pragma once

#include <deque>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/cluster/coordinator.hpp>
#include <set>

namespace mobula::test {

// The store: what all members agree on.
class StoreTwin {
 public:
  // Ends leases whose time is over.
  void advance(core::Nanoseconds now);
  // Without a majority nothing is read or written, and leases do not end.
  void set_majority(bool majority, core::Nanoseconds now);
  [[nodiscard]] bool has_majority() const { return majority_; }
  static constexpr std::size_t request_bytes_max = 3 << 19;  // as etcd's
  // Without space nothing is written, but leases go on.
  void set_full(bool full) { full_ = full; }
  // Becomes the state that a copy has, as after a restored backup. Leases have their whole time then.
  void restore(const StoreTwin& backup, core::Nanoseconds now);
  void compact() { compacted_ = revision_; }

  cluster::Reply list(std::string_view prefix) const;
  cluster::Reply commit(const cluster::Transaction& transaction);
  cluster::Reply grant(core::Nanoseconds ttl, core::Nanoseconds now);
  cluster::Reply keep_alive(cluster::LeaseId lease, core::Nanoseconds now);
  cluster::Reply revoke(cluster::LeaseId lease);

  [[nodiscard]] cluster::Revision revision() const { return revision_; }
  // Returns the changes of the first revision from `from` on that has some under the prefix. Null if there is none yet,
  // or if it was made after `until`.
  [[nodiscard]] std::optional<cluster::Changes> changes(std::string_view prefix, cluster::Revision from,
                                                        core::Nanoseconds until) const;

 private:
  struct Lease {
    core::Nanoseconds ttl = 0;
    core::Nanoseconds end = 0;
    std::set<std::string> keys;
  };

  [[nodiscard]] cluster::Reply reply() const { return {.revision = revision_}; }
  [[nodiscard]] cluster::Revision modified(const std::string& key) const;
  void put(const cluster::Put& put, cluster::Revision at);
  bool erase(const std::string& key, cluster::Revision at);
  void end_lease(cluster::LeaseId lease);

  cluster::Revision revision_ = 1;
  cluster::Revision compacted_ = 0;
  cluster::LeaseId last_lease_ = 0;
  bool majority_ = true;
  bool full_ = false;
  std::map<std::string, cluster::KeyValue> keys_;
  std::map<cluster::LeaseId, Lease> leases_;
  std::map<cluster::Revision, std::vector<cluster::Change>> history_;
  std::map<cluster::Revision, core::Nanoseconds> times_;  // when each was made
  core::Nanoseconds now_ = 0;
};

// A client of it.
class TwinClient final : public cluster::Coordinator {
 public:
  struct Network {
    core::Nanoseconds delay = core::millisecond / 2;  // each way
    core::Nanoseconds timeout = core::second / 2;
    core::Nanoseconds watch_delay = 0;
    std::uint32_t lost_in_1000 = 0;  // requests, and answers
    std::uint32_t late_in_1000 = 0;  // requests carried out after their client has given up
    bool cut = false;
  };

  TwinClient(StoreTwin& store, core::Random& random) : store_(store), random_(random) {}

  Network network;

  // Carries out what has reached the store by now.
  void advance(core::Nanoseconds now);
  // Loses requests, answers and the watch of a process that ends.
  void forget();

  cluster::RequestId list(std::string_view prefix) override;
  cluster::RequestId commit(const cluster::Transaction& transaction) override;
  cluster::RequestId grant(core::Nanoseconds ttl) override;
  cluster::RequestId keep_alive(cluster::LeaseId lease) override;
  cluster::RequestId revoke(cluster::LeaseId lease) override;
  cluster::RequestId survey() override;
  void watch(std::string_view prefix, cluster::Revision from) override;
  std::optional<cluster::Reply> poll() override;
  std::optional<cluster::Changes> poll_changes() override;

 private:
  enum class Kind : std::uint8_t { list, commit, grant, keep_alive, revoke, survey };
  struct Request {
    cluster::RequestId id = 0;
    Kind kind{};
    core::Nanoseconds sent = 0;
    bool carried_out = false;
    bool lost = false;          // the request, or the answer
    bool given_up = false;      // its client has had an error
    core::Nanoseconds due = 0;  // time of the next step: at the store, then back
    std::string prefix{};
    cluster::Transaction transaction{};
    core::Nanoseconds ttl = 0;
    cluster::LeaseId lease = 0;
    cluster::Reply reply{};
  };

  cluster::RequestId send(Request request);
  [[nodiscard]] bool loses();
  cluster::Reply carry_out(const Request& request);
  bool step(Request& request);

  StoreTwin& store_;
  core::Random& random_;
  core::Nanoseconds now_ = 0;
  cluster::RequestId last_ = 0;
  std::vector<Request> requests_;
  std::deque<cluster::Reply> replies_;
  std::string watched_;
  cluster::Revision watch_from_ = 0;  // 0 for no watch
};

}  // namespace mobula::test

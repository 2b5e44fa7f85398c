// A server process as a node of a cluster: it holds a lease, registers itself, and opens and closes worlds as the
// directory has them. It compares the directory with what it should have, and commits the difference. So a lost answer
// or a late change needs no case of its own.
//
//   joining ─► serving ─► ended           see Node::ended()
//
// It runs on a thread of its own, as ticks and starts of worlds may take longer than a lease.
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/attempts.hpp>
#include <mobula/server/cluster/crossings.hpp>
#include <mobula/server/cluster/lease_holder.hpp>
#include <mobula/server/cluster/records.hpp>
#include <mobula/server/cluster/world_node.hpp>

namespace mobula::cluster {

struct NodeConfig {
  std::string cluster{};  // prefix of all keys, "NAME/"
  std::string name{};     // core::is_good_name()
  NodeRecord offer{};
  std::string schema{};  // base64; offer.game is its hash. Kept in the cluster for others. May be empty
  // Time to live of the lease, whole seconds. 2 s survive an election of etcd with the options of EtcdConfig, and
  // worlds of a dead node are placed again within 3 s.
  core::Nanoseconds ttl = 2 * core::second;
  // Maximum time without tick_ran(), after which the node ends; 0 disables it. Counts from the first tick_ran().
  core::Nanoseconds tick_timeout = 10 * core::second;
};

/// State of a node for logs and metrics.
struct NodeStatus {
  std::string member{};      // URL of the member of etcd that answered last; empty after an error
  std::string trouble{};     // why requests fail, or why the node has ended; empty while all is well
  std::string unreadable{};  // Directory::unreadable()
  std::string last_error{};  // text of the last error; kept after a success
  std::optional<core::Nanoseconds> since_contact{};  // since the last answer without an error; null before the first
  core::Nanoseconds lease_left = 0;                  // time for which the process may serve without a renewal
  std::uint64_t corrections = 0;                     // lists that had what the watch had not
  std::uint64_t commits_failed = 0;
  bool draining = false;
};

/// A task for the process.
struct NodeTask {
  enum class Kind : std::uint8_t {
    open,   // answered by opened() or failed()
    close,  // save it and answer by closed()
    drop,   // close it at once, without saving: another node may have it
  };
  Kind kind{};
  std::string world{};
  std::uint64_t epoch = 0;
  // open: crossings from and to the world, in the order in which they were decided, and its record in the ledgers.
  std::vector<Crossing> crossings{};
  LedgerRecord ledger{};
  std::vector<std::string> unreadable{};  // open: keys of crossings and of its ledger whose values cannot be read
  std::string map{};  // open: value of the key in maps/ whose zone the world is; empty for other worlds
};

class Node final : public WorldNode {
 public:
  static constexpr core::Nanoseconds load_interval = core::second;

  explicit Node(NodeConfig config);

  /// Handles what has arrived and sends what is due.
  void update(Coordinator& coordinator, core::Nanoseconds now);
  /// Returns the next task. Null if there is none.
  std::optional<NodeTask> poll_task();

  void opened(std::string_view world, std::uint64_t epoch, std::vector<std::string> addresses);
  void failed(std::string_view world, std::uint64_t epoch, std::string why);
  void closed(std::string_view world, std::uint64_t epoch);
  /// Gives a world back because its files have a later epoch, as after the loss of the coordinator's data. Its next
  /// epoch is greater than `last_epoch`.
  void superseded(std::string_view world, std::uint64_t epoch, std::uint64_t last_epoch);
  [[nodiscard]] std::optional<WorldRecord> find_world(std::string_view world) const override;
  [[nodiscard]] std::optional<std::string> changed_map(std::string_view map, Revision& seen) const override;
  [[nodiscard]] core::Status may_cross(std::string_view source, std::string_view target) const override;
  [[nodiscard]] bool has_schema(std::string_view hash) const override;
  [[nodiscard]] std::optional<core::Bytes> find_schema(std::string_view hash) const override;
  void depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record) override {
    crossings_.depart(world, epoch, id, std::move(record));
  }
  void saved(std::string_view world, std::uint64_t epoch, std::uint64_t version,
             const std::vector<std::string>& ids) override {
    crossings_.saved(world, epoch, version, ids);
  }
  // Not before all tasks were returned: one of them may open the event's world.
  std::optional<CrossingEvent> poll_crossing() { return tasks_.empty() ? crossings_.poll() : std::nullopt; }
  void set_load(const LoadRecord& load) { load_ = load; }
  /// Takes no more worlds, and closes those that it has. An operator does the same by `draining` in the node's key,
  /// with its lease kept. It lasts until the end of the run.
  void drain();
  /// Reports that the process works: a tick has run, or a step of long work such as the start of a world.
  void tick_ran(core::Nanoseconds now) { last_tick_ = now; }
  /// Ends the lease, so that others need not wait for its end. The last call, when all worlds are closed. Returns the
  /// request; 0 if there is no lease.
  RequestId leave(Coordinator& coordinator) const;

  /// Returns true while the node is registered.
  [[nodiscard]] bool serving() const { return run_ != 0 && !ended_; }
  /// Returns the end of the time in which the process may serve and write. After it, it must do neither, whether it was
  /// given a task or not.
  [[nodiscard]] core::Nanoseconds valid_until() const { return ended_ ? 0 : lease_.valid_until(); }
  /// Returns why the node has ended. It does not join again, and renews its lease no longer. Null before. Errors:
  ///   "lease lost"             it was not renewed in time, or the node's key was erased
  ///   "name taken"             another process has the name
  ///   "ticks stopped"          tick_ran() was not called for `tick_timeout`
  ///   "coordinator went back"  the coordinator has lost changes, as after a restored backup
  [[nodiscard]] const std::optional<core::Error>& ended() const { return ended_; }
  /// Returns the state, but for the member.
  [[nodiscard]] NodeStatus status(core::Nanoseconds now) const;
  /// Returns the number of worlds that it has, opening and closing ones included.
  [[nodiscard]] std::size_t worlds() const { return held_.size(); }
  [[nodiscard]] const Directory& directory() const { return directory_; }

 private:
  // A world that this node has. `wanted` is the record that it should have; null while it opens or closes.
  struct Held {
    std::uint64_t epoch = 0;
    bool closing = false;
    std::optional<WorldRecord> wanted{};
  };

  void receive(Coordinator& coordinator);
  [[nodiscard]] std::optional<core::Error> reason_to_end() const;
  void end(core::Error error);
  void adopt_draining(const KeyValue& key);
  void reconcile_node(Coordinator& coordinator);
  void publish_schema(Coordinator& coordinator);
  void reconcile_worlds(Coordinator& coordinator);
  void reconcile_world(Coordinator& coordinator, const std::string& world, const WorldRecord& record);
  void drop_lost_worlds();
  void publish_load(Coordinator& coordinator);
  void commit(Coordinator& coordinator, std::string_view key, const std::string& value, LeaseId lease);
  [[nodiscard]] NodeTask task_to_open(const std::string& world, std::uint64_t epoch);
  [[nodiscard]] std::string map_of(std::string_view world) const;
  void release(std::string_view world, std::uint64_t epoch, WorldRecord record);
  [[nodiscard]] bool is_own(const WorldRecord& record) const;
  Held* find(std::string_view world, std::uint64_t epoch);

  NodeConfig config_;
  LeaseHolder lease_;
  Directory directory_;
  Revision run_ = 0;  // creation of the node's key; 0 before
  std::optional<core::Error> ended_;
  Revision name_holder_ = 0;  // run of another process that has the name
  core::Nanoseconds name_taken_since_ = 0;
  core::Nanoseconds load_due_ = 0;
  Revision reconciled_ = 0;    // the directory had it when it was last compared
  bool changed_ = false;       // worlds or offer have changed, or a commit is to be repeated
  core::Nanoseconds now_ = 0;  // time of the last update()
  std::optional<core::Nanoseconds> last_tick_;
  std::optional<core::Nanoseconds> last_contact_;
  std::string last_error_;
  LoadRecord load_;
  Attempts attempts_;
  Crossings crossings_;
  std::map<std::string, Held, std::less<>> held_;
  std::deque<NodeTask> tasks_;
};

}  // namespace mobula::cluster

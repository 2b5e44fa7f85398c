// A node on a thread of its own, with its connection to etcd. Ticks, saves and starts of worlds may take longer than a
// lease, so another thread renews it. It logs when its state changes, and when errors begin and end.
#pragma once

#include <memory>
#include <mobula/server/cluster/etcd.hpp>
#include <mobula/server/cluster/node.hpp>

namespace mobula::cluster {

/// Returns the time since the machine was started, with that in which it was suspended.
core::Nanoseconds boot_now();

/// All functions may be called by any thread. They return at once.
class NodeThread final : public WorldNode {
 public:
  NodeThread(NodeConfig node, EtcdConfig etcd);
  /// Leaves the cluster. Waits up to `lease_timeout` for the coordinator.
  ~NodeThread() override;
  NodeThread(const NodeThread&) = delete;
  NodeThread& operator=(const NodeThread&) = delete;

  /// Reports that a tick has run. The thread of the ticks calls it after each tick. It also calls it during work that
  /// takes longer, such as the start of a world. Without it for longer than NodeConfig::tick_timeout the node ends.
  /// Time counts from the constructor. It takes no lock.
  void tick_ran();

  // As those of Node.
  std::optional<NodeTask> poll_task();
  void opened(std::string_view world, std::uint64_t epoch, std::vector<std::string> addresses);
  void failed(std::string_view world, std::uint64_t epoch, std::string why);
  void closed(std::string_view world, std::uint64_t epoch);
  void superseded(std::string_view world, std::uint64_t epoch, std::uint64_t last_epoch);
  std::optional<CrossingEvent> poll_crossing();
  void set_load(const LoadRecord& load);
  void drain();
  [[nodiscard]] bool serving() const;
  [[nodiscard]] std::optional<core::Error> ended() const;
  [[nodiscard]] NodeStatus status() const;

  [[nodiscard]] std::optional<WorldRecord> find_world(std::string_view world) const override;
  [[nodiscard]] std::optional<std::string> changed_map(std::string_view map, Revision& seen) const override;
  [[nodiscard]] core::Status may_cross(std::string_view source, std::string_view target) const override;
  [[nodiscard]] bool has_schema(std::string_view hash) const override;
  [[nodiscard]] std::optional<core::Bytes> find_schema(std::string_view hash) const override;
  void depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record) override;
  void saved(std::string_view world, std::uint64_t epoch, std::uint64_t version,
             const std::vector<std::string>& ids) override;

  /// Returns whether the process may serve and write now, by boot_now(). It asks before each tick and before each
  /// write.
  [[nodiscard]] bool may_serve() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::cluster

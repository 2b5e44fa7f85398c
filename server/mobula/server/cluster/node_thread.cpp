#include <atomic>
#include <ctime>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/cluster/node_thread.hpp>
#include <mobula/server/cluster/trouble_log.hpp>
#include <mutex>
#include <thread>
#include <utility>

namespace mobula::cluster {
namespace {

// Time between two updates. Answers and changes are handled when they arrive.
constexpr core::Nanoseconds interval = 20 * core::millisecond;
constexpr std::size_t logged_bytes_max = 500;

}  // namespace

core::Nanoseconds boot_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * core::second + now.tv_nsec;
}

struct NodeThread::Impl {
  Impl(NodeConfig node_config, EtcdConfig etcd_config)
      : name(node_config.name),
        leave_max(etcd_config.lease_timeout),
        etcd(events, std::move(etcd_config), [this] { update(); }),
        node(std::move(node_config)),
        trouble("node " + name + ", its coordinator (--cluster)"),
        records("node " + name + ", keys of its cluster"),
        thread([this] { run(); }) {}
  ~Impl() {
    stopping = true;
    thread.join();
  }

  void run() {
    while (!stopping) {
      update();
      events.run_until(core::monotonic_now() + interval);
    }
    leave();
  }

  void leave() {
    const RequestId request = node.leave(etcd);  // no other thread uses the node any more
    for (const core::Nanoseconds end = core::monotonic_now() + leave_max; core::monotonic_now() < end;) {
      while (const std::optional<Reply> reply = etcd.poll())
        if (reply->request == request) return;
      if (request == 0) return;
      events.run_until(core::monotonic_now() + core::millisecond);
    }
  }

  // Called by the thread alone.
  void update() {
    if (stopping) return;
    const std::lock_guard lock(mutex);
    const core::Nanoseconds now = boot_now();
    node.tick_ran(last_tick);
    node.update(etcd, now);
    valid_until = node.valid_until();
    member = etcd.member();
    log_changes(now);
  }

  [[nodiscard]] NodeStatus status(core::Nanoseconds now) const {
    NodeStatus all = node.status(now);
    all.member = member;
    return all;
  }

  // Logs the state once per change.
  void log_changes(core::Nanoseconds now) {
    if (ended) return;
    if (const std::optional<core::Error>& why = node.ended()) {
      ended = true;
      return core::log_warn("server", "node {} has left its cluster: {}: {}", name, why->reason,
                            core::shown(why->message, logged_bytes_max));
    }
    const NodeStatus current = status(now);
    trouble.update(current.trouble, now);
    records.update(current.unreadable, now);
    if (node.serving() && !std::exchange(serving, true)) core::log_info("server", "node {} serves its cluster", name);
    if (current.draining && !std::exchange(draining, true))
      core::log_warn("server", "node {} drains: it takes no more worlds and closes those that it has", name);
  }

  std::string name;
  core::Nanoseconds leave_max;
  net::EventLoop events;
  Etcd etcd;  // the thread's
  mutable std::mutex mutex;
  Node node;
  std::string member;  // copy for other threads
  TroubleLog trouble;
  TroubleLog records;
  bool serving = false;  // as logged, like the next two
  bool draining = false;
  bool ended = false;
  std::atomic<core::Nanoseconds> last_tick = boot_now();
  std::atomic<core::Nanoseconds> valid_until = 0;
  std::atomic<bool> stopping = false;
  std::thread thread;  // the last member: it uses the others
};

NodeThread::NodeThread(NodeConfig node, EtcdConfig etcd)
    : impl_(std::make_unique<Impl>(std::move(node), std::move(etcd))) {}

NodeThread::~NodeThread() = default;

std::optional<NodeTask> NodeThread::poll_task() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.poll_task();
}

void NodeThread::opened(std::string_view world, std::uint64_t epoch, std::vector<std::string> addresses) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.opened(world, epoch, std::move(addresses));
}

void NodeThread::failed(std::string_view world, std::uint64_t epoch, std::string why) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.failed(world, epoch, std::move(why));
}

void NodeThread::closed(std::string_view world, std::uint64_t epoch) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.closed(world, epoch);
}

void NodeThread::superseded(std::string_view world, std::uint64_t epoch, std::uint64_t last_epoch) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.superseded(world, epoch, last_epoch);
}

std::optional<WorldRecord> NodeThread::find_world(std::string_view world) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.find_world(world);
}

std::optional<std::string> NodeThread::changed_map(std::string_view map, Revision& seen) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.changed_map(map, seen);
}

bool NodeThread::has_schema(std::string_view hash) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.has_schema(hash);
}

std::optional<core::Bytes> NodeThread::find_schema(std::string_view hash) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.find_schema(hash);
}

core::Status NodeThread::may_cross(std::string_view source, std::string_view target) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.may_cross(source, target);
}

void NodeThread::depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.depart(world, epoch, id, std::move(record));
}

void NodeThread::saved(std::string_view world, std::uint64_t epoch, std::uint64_t version,
                       const std::vector<std::string>& ids) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.saved(world, epoch, version, ids);
}

std::optional<CrossingEvent> NodeThread::poll_crossing() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.poll_crossing();
}

void NodeThread::set_load(const LoadRecord& load) {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.set_load(load);
}

void NodeThread::drain() {
  const std::lock_guard lock(impl_->mutex);
  impl_->node.drain();
}

bool NodeThread::serving() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.serving();
}

std::optional<core::Error> NodeThread::ended() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->node.ended();
}

NodeStatus NodeThread::status() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->status(boot_now());
}

void NodeThread::tick_ran() { impl_->last_tick = boot_now(); }

bool NodeThread::may_serve() const { return boot_now() < impl_->valid_until; }

}  // namespace mobula::cluster

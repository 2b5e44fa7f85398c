#include <atomic>
#include <ctime>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/cluster/node_thread.hpp>
#include <mutex>
#include <thread>
#include <utility>

namespace mobula::cluster {
namespace {

// Time between two updates. Answers and changes are handled when they arrive.
constexpr core::Nanoseconds interval = 20 * core::millisecond;

}  // namespace

core::Nanoseconds boot_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * core::second + now.tv_nsec;
}

struct NodeThread::Impl {
  Impl(NodeConfig node_config, EtcdConfig etcd_config)
      : leave_max(etcd_config.lease_timeout),
        etcd(events, std::move(etcd_config), [this] { update(); }),
        node(std::move(node_config)),
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
    node.update(etcd, boot_now());
    valid_until = node.ended() ? 0 : node.valid_until();
  }

  core::Nanoseconds leave_max;
  net::EventLoop events;
  Etcd etcd;  // the thread's
  mutable std::mutex mutex;
  Node node;
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

bool NodeThread::may_serve() const { return boot_now() < impl_->valid_until; }

}  // namespace mobula::cluster

#include <cluster/etcd_session.hpp>

namespace mobula::cluster {
namespace {

// Short, so that several members are tried within the patience of a command.
constexpr core::Nanoseconds request_timeout = core::second;

}  // namespace

EtcdSession::EtcdSession(const ClusterAddress& address, bool places, core::Nanoseconds patience)
    : etcd_(events_, {.members = parse_members(address.etcd).value(), .request_timeout = request_timeout},
            [this] { arrived_ = true; }),
      control_(etcd_, {.cluster = address.cluster + "/", .etcd = address.etcd, .places = places, .patience = patience},
               [this] { return pump(); }) {}

core::Nanoseconds EtcdSession::pump() {
  events_.run_until(core::monotonic_now() + core::millisecond);
  return core::monotonic_now();
}

void EtcdSession::run(core::Nanoseconds time) {
  events_.run_until(core::monotonic_now() + time);
  const core::Nanoseconds now = core::monotonic_now();
  if (!arrived_ && now < due_) return;
  arrived_ = false;
  due_ = now + update_interval;
  control_.update(now);
}

}  // namespace mobula::cluster

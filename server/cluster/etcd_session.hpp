// A control over etcd on the calling thread.
#pragma once

#include <cluster/control.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/cluster/etcd.hpp>

namespace mobula::cluster {

/// Where a cluster is.
struct ClusterAddress {
  std::string etcd = {};           // as for parse_members()
  std::string cluster = "mobula";  // core::is_good_name()
};

class EtcdSession {
 public:
  static constexpr core::Nanoseconds update_interval = 20 * core::millisecond;

  /// The address was checked. `places` and `patience` are those of ControlConfig.
  EtcdSession(const ClusterAddress& address, bool places, core::Nanoseconds patience);

  [[nodiscard]] net::EventLoop& events() { return events_; }
  [[nodiscard]] Control& control() { return control_; }
  /// Handles what arrives in the next `time`. Without arrivals the control is updated every `update_interval`: a placer
  /// may iterate over all worlds.
  void run(core::Nanoseconds time);

 private:
  core::Nanoseconds pump();

  net::EventLoop events_;
  bool arrived_ = false;       // since the last update of the control
  core::Nanoseconds due_ = 0;  // time of the next update
  Etcd etcd_;
  Control control_;
};

}  // namespace mobula::cluster

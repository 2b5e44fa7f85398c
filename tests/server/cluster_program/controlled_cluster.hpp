// A cluster on an in-process store, with a control whose pump lets the cluster's time pass.
#pragma once

#include <gtest/gtest.h>

#include <cluster/control.hpp>
#include <cluster/node_figures.hpp>
#include <cluster/player_sender.hpp>
#include <mobula/net/event_loop.hpp>
#include <server/cluster/cluster_of_twins.hpp>

namespace mobula::test {

class ControlledCluster {
 public:
  explicit ControlledCluster(bool places = true)
      : client(cluster.store, cluster.random),
        control(client, {.cluster = "c/", .etcd = "http://h:1", .places = places, .patience = core::second},
                [this] { return pump(); }) {}

  core::Nanoseconds pump() {
    cluster.step();
    client.advance(cluster.now);
    if (each_step) each_step();
    return cluster.now;
  }
  // Lets time pass for all.
  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = cluster.now + time; cluster.now < end;) control.update(pump());
  }
  // Makes a node's key with a lease, and without a process that would answer changes.
  cluster::KeyValue add_key_of_node(const std::string& name, const cluster::NodeRecord& record) {
    const cluster::LeaseId lease = cluster.store.grant(100 * core::second, cluster.now).lease;
    cluster.store.commit({.puts = {{"c/nodes/" + name, to_json(record), lease}}});
    return key("c/nodes/" + name);
  }
  // Makes an open world of such a node.
  void add_open_world(const std::string& name, const std::string& node, std::vector<std::string> addresses) {
    const cluster::WorldRecord record{.game = "game",
                                      .state = cluster::WorldState::open,
                                      .epoch = 7,
                                      .node = node,
                                      .run = key("c/nodes/" + node).created,
                                      .addresses = std::move(addresses)};
    cluster.store.commit({.puts = {{"c/worlds/" + name, to_json(record)}}});
  }
  // Returns a key of the store. Its name is empty if there is none.
  [[nodiscard]] cluster::KeyValue key(const std::string& name) const {
    for (const cluster::KeyValue& each : cluster.store.list(name).values)
      if (each.key == name) return each;
    return {};
  }

  TwinCluster cluster;
  TwinClient client;
  std::function<void()> each_step;
  cluster::Control control;
  net::EventLoop events{};
  cluster::NodeAddresses addresses{[](const std::string& host) { return core::Result<std::string>(host); }};
  cluster::NodeFigures figures{events, addresses, ""};
  cluster::PlayerSender sender{events, addresses, control, ""};
};

inline std::string reason_of(const core::Status& status) { return status ? "" : status.error().reason; }

}  // namespace mobula::test

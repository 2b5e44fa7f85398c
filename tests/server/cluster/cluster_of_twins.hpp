// Nodes and placers of one cluster in one process, on one store, with hosts that open and close worlds for the nodes.
#pragma once

#include <memory>
#include <mobula/server/cluster/node.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <server/cluster/coordinator_twin.hpp>

namespace mobula::test {

inline constexpr core::Nanoseconds step_time = 10 * core::millisecond;

// A process with a node: its worlds, by name, with the epoch in which each was opened.
class TwinNode {
 public:
  TwinNode(StoreTwin& store, core::Random& random, std::string name, std::uint32_t worlds_max,
           const std::string& game = "game")
      : client(store, random),
        node({.cluster = "c/", .name = std::move(name), .offer = {.game = game, .worlds_max = worlds_max}}) {}

  void step(core::Nanoseconds now) {
    client.advance(now);
    if (paused) return;
    if (!hung) node.tick_ran(now);
    node.update(client, now);
    while (const std::optional<cluster::NodeTask> task = node.poll_task()) carry_out(*task);
  }
  // Whether the process may serve now, by what it knows: a paused one does nothing.
  [[nodiscard]] bool may_serve(core::Nanoseconds now) const { return !paused && now < node.valid_until(); }

  TwinClient client;
  cluster::Node node;
  std::map<std::string, std::uint64_t> open;
  bool paused = false;
  bool hung = false;             // its ticks are; the thread of the node goes on
  bool refuses = false;          // to open worlds
  std::uint64_t last_epoch = 0;  // files of its worlds have it
  int opens = 0;                 // tries
  int dropped = 0;

 private:
  void carry_out(const cluster::NodeTask& task) {
    using Kind = cluster::NodeTask::Kind;
    if (task.kind == Kind::open) ++opens;
    if (task.kind == Kind::open && refuses) return node.failed(task.world, task.epoch, "no such level");
    if (task.kind == Kind::open && last_epoch > task.epoch) return node.superseded(task.world, task.epoch, last_epoch);
    if (task.kind == Kind::open) {
      open[task.world] = task.epoch;
      return node.opened(task.world, task.epoch, {"udp://host:7777"});
    }
    open.erase(task.world);
    if (task.kind == Kind::close) node.closed(task.world, task.epoch);
    if (task.kind == Kind::drop) ++dropped;
  }
};

struct TwinPlacer {
  TwinPlacer(StoreTwin& store, core::Random& random) : client(store, random) {}

  void step(core::Nanoseconds now) {
    client.advance(now);
    placer.update(client, now);
  }

  TwinClient client;
  cluster::Placer placer{"c/"};
};

class TwinCluster {
 public:
  TwinNode& add_node(const std::string& name, std::uint32_t worlds_max = 4, const std::string& game = "game") {
    return *nodes.emplace_back(std::make_unique<TwinNode>(store, random, name, worlds_max, game));
  }
  TwinPlacer& add_placer() { return *placers.emplace_back(std::make_unique<TwinPlacer>(store, random)); }
  void step() {
    now += step_time;
    store.advance(now);
    for (const auto& each : nodes) each->step(now);
    for (const auto& each : placers) each->step(now);
  }
  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = now + time; now < end;) step();
  }
  [[nodiscard]] std::optional<cluster::WorldRecord> world(const std::string& name) const {
    for (const cluster::KeyValue& each : store.list("c/worlds/" + name).values)
      if (each.key == "c/worlds/" + name) return cluster::parse_world(each.value).value();
    return std::nullopt;
  }

  core::Random random{1};
  StoreTwin store;
  std::vector<std::unique_ptr<TwinNode>> nodes;
  std::vector<std::unique_ptr<TwinPlacer>> placers;
  core::Nanoseconds now = 0;
};

}  // namespace mobula::test

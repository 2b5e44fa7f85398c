// A server process of a simulated cluster: a node, and the zones that it has been given, with their servers and stores.
// It does as ClusterHost does, on a virtual clock and without threads.
#pragma once

#include <memory>
#include <mobula/server/host/world_crossings.hpp>
#include <mobula/server/store/store.hpp>
#include <server/cluster/coordinator_twin.hpp>
#include <simulation/cluster/walker_game.hpp>
#include <simulation/cluster/wires.hpp>
#include <string>

namespace mobula::sim {

class ZoneProcess {
 public:
  static constexpr core::Nanoseconds tick_length = test::Village::tick_length;

  /// Parts that the processes of a cluster share.
  struct Cluster {
    test::StoreTwin& store;  // the coordinator's
    core::Random& random;    // for the paths to it
    Wires& wires;
    WalkerCensus& census;
    std::string folder;  // folder of the worlds' files
    WalkerGame::Config game{};
    std::uint32_t zones = 0;
    std::uint32_t checkpoint_ticks = 0;
    std::uint32_t players_max = 0;
  };
  /// `machine` is its number. Adds the counters of zones that have ended to `totals`. Both references outlive it.
  ZoneProcess(const Cluster& cluster, std::uint32_t machine, server::ZoneStats& totals);
  ~ZoneProcess();
  ZoneProcess(const ZoneProcess&) = delete;
  ZoneProcess& operator=(const ZoneProcess&) = delete;

  /// Runs what is due. `date` is the machine's, in seconds. Its zones tick if `ticks`.
  void step(core::Nanoseconds now, std::uint64_t date, bool ticks);
  /// Ends it in good order, as SIGTERM does. is_over() follows.
  void drain() { node_.drain(); }
  /// Returns whether the process has ended by itself. Its zones are not served any more.
  [[nodiscard]] bool is_over() const { return over_; }
  /// Returns whether its zones are served at a time.
  [[nodiscard]] bool may_serve(core::Nanoseconds now) const { return !over_ && now < node_.valid_until(); }
  /// Calls look(name, Server&) for each zone.
  template <class Look>
  void each_zone(Look&& look) {
    for (const auto& [name, zone] : zones_) look(name, *zone->server);
  }
  [[nodiscard]] test::TwinClient& coordinator() { return client_; }

  static std::string node_name(std::uint32_t machine) { return "n" + std::to_string(machine); }

 private:
  struct Port;
  struct Zone {
    std::uint64_t epoch = 0;
    transport::Address address{};
    std::unique_ptr<WalkerGame> game{};
    std::unique_ptr<store::Store> store{};
    std::unique_ptr<server::Server> server{};
    std::unique_ptr<Port> port{};
    std::unique_ptr<server::ZoneHost> host{};
    std::unique_ptr<server::WorldCrossings> crossings{};
    bool was_saved = false;
  };

  void handle(const cluster::NodeTask& task);
  void open(const cluster::NodeTask& task);
  core::Status open_file(Zone& zone, const cluster::NodeTask& task, const std::string& path);
  core::Status start(Zone& zone, const cluster::NodeTask& task);
  void refuse(const cluster::NodeTask& task, const core::Error& error);
  void close(const cluster::NodeTask& task);
  void drop(const std::string& name);
  void tick(const std::string& name, Zone& zone);
  void leave();

  const Cluster& cluster_;
  std::uint32_t machine_;
  server::ZoneStats& totals_;
  test::TwinClient client_;
  cluster::Node node_;
  std::map<std::string, std::unique_ptr<Zone>> zones_;
  std::uint16_t next_port_;
  core::Nanoseconds now_ = 0;
  std::uint64_t date_ = 0;
  core::Nanoseconds left_at_ = 0;  // 0 before it leaves the cluster
  bool over_ = false;
};

}  // namespace mobula::sim

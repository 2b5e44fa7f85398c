// Simulation of a plan with zones: the real node, placer, zones, servers, stores and clients of a cluster, with an
// in-process twin of etcd. All share one clock, one network and one thread. After each tick no entity has two owners;
// after the faults each has one, and everything must recover.
#pragma once

#include <mobula/server/cluster/placer.hpp>
#include <simulation/cluster/zone_player.hpp>
#include <simulation/cluster/zone_process.hpp>
#include <simulation/simulation.hpp>

namespace mobula::sim {

class ClusterSimulation {
 public:
  // `folder`: for the files of worlds.
  ClusterSimulation(Plan plan, Listener listener, const std::string& folder);
  ~ClusterSimulation();

  Outcome run();

 private:
  static constexpr std::uint32_t placers = 2;

  // A machine with at most one process.
  struct Machine {
    std::unique_ptr<ZoneProcess> process{};
    std::uint32_t begins_at = 0;  // tick in which a process begins, if there is none
    bool ended = false;           // it ends in good order
    core::Nanoseconds date_off = 0;
  };
  struct Backend {
    Backend(test::StoreTwin& store, core::Random& random) : client(store, random) {}
    test::TwinClient client;
    cluster::Placer placer{"c/"};
  };

  void set_up();
  void tick();
  void step(bool ticks);
  void begin_faults();
  void begin(const Fault& fault);
  void apply(const Fault& fault, bool begins);
  void change_map();
  void set_map(const server::ZoneMap& map);
  void run_machine(std::uint32_t number, bool ticks);
  void begin_process(std::uint32_t number);
  void end_process(std::uint32_t number, std::uint32_t ticks);
  void update_player(std::uint32_t number);
  void check();
  void settle();
  [[nodiscard]] std::string missing_ghost();
  [[nodiscard]] std::string wrong_ghost();
  [[nodiscard]] bool is_served(const ZonePlayer& player) const;
  [[nodiscard]] std::string unquiet();
  void check_at_last();
  void await_commands();
  [[nodiscard]] std::optional<cluster::WorldRecord> find_world(const std::string& world) const;
  void fail(const std::string& what) {
    if (outcome_.wrong.empty()) outcome_.wrong = what;
  }
  void trace(const std::string& what) {
    if (listener_.event) listener_.event(outcome_.ticks, what, ecs::null_entity);
  }

  Plan plan_;
  Listener listener_;
  Outcome outcome_;
  SimulatedDisk disk_;
  core::Random random_;  // for the paths to the coordinator
  core::Random chance_;  // for all else
  test::StoreTwin store_;
  Wires wires_;
  WalkerCensus census_;
  server::ZoneStats totals_{};  // zones that have ended
  ZoneProcess::Cluster cluster_;
  std::optional<server::ZoneMap> map_;
  bool is_split_ = false;  // by a fault
  std::vector<std::unique_ptr<Backend>> backends_;
  std::vector<Machine> machines_;
  std::vector<std::unique_ptr<ZonePlayer>> players_;
  std::map<std::string, ZonePlayer*> player_named_;
  std::set<std::uint32_t> mute_;  // players
  std::size_t next_fault_ = 0;
};

}  // namespace mobula::sim

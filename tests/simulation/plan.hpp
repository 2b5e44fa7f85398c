// Plan of a simulation, drawn from a seed: a world, its clients and its faults. A plan is data: it can be printed and
// shortened.
#pragma once

#include <cstdint>
#include <mobula/server/store/store.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::sim {

struct Fault {
  enum class Kind : std::uint8_t {  // described by fault_kinds()
    network,
    cut,
    deaf,
    silent,
    mute,
    clock_jump,
    clock_drift,
    broken,
    full,
    slow,
    moved,
    twice,
    kick,
    ban,
    stall,
    date,
    reload,
    reader,
    disk_full,
    disk_errors,
    no_memory,
    crash,
    stop,
    drain,
    narrow,
    node_killed,  // from here on: of a cluster
    node_paused,
    node_ended,
    node_cut,
    parted,
    node_date,
    no_majority,
    coordinator_full,
    slow_coordinator,
    map,
  };
  Kind kind = Kind::network;
  std::uint32_t at = 0;     // tick of the simulation
  std::uint32_t ticks = 0;  // duration
  std::uint32_t who = 0;    // player or node
  std::uint32_t operations = 0;
  transport::NetworkConditions network{};
  core::Nanoseconds by = 0;
};

struct FaultKind {
  Fault::Kind kind;
  std::string_view name;  // in a printed plan
  std::string_view about;
  std::uint32_t per_1000_ticks;  // rate, in plans that have this kind
  std::uint32_t ticks_max;       // longest duration
  std::string_view of;           // "player" or "node"; empty for neither
};
[[nodiscard]] std::span<const FaultKind> fault_kinds();

constexpr std::uint32_t short_history_bytes = 2048;  // less than the changes of a busy tick

struct Plan {
  std::uint64_t seed = 0;
  std::uint32_t ticks = 0;        // with faults; then everything must recover
  std::uint32_t zones = 0;        // number in a cluster; 0 for a single server
  std::uint32_t nodes = 0;        // number in the cluster
  std::uint32_t players = 0;      // at a time
  std::uint32_t players_max = 0;  // ServerConfig's; hostile clients may take a player's place
  std::uint32_t entities = 0;
  std::uint32_t changes_max = 0;  // to the world, per tick
  bool hides = false;             // layers, interest groups and owners restrict visibility
  bool has_level = false;
  bool has_large = false;           // some entities do not fit a datagram
  bool predicts = false;            // Transforms are predicted, by rules that the server lacks
  bool has_rules = false;           // the server runs rules, and clients predict by them
  bool rewinds = false;             // the game rewinds the views of commands
  std::uint32_t history_bytes = 0;  // ServerConfig's
  std::uint32_t delta_bytes = 0;
  std::uint32_t checkpoint_ticks = 0;
  std::uint64_t log_bytes = store::StoreConfig{}.log_bytes_max;
  std::uint32_t entities_max = 1u << 20;
  bool keeps_levels = false;    // some clients keep the level on disk
  bool spectates = false;       // one client is a spectator
  bool refuses_second = false;  // second log-ins are refused
  bool watches_memory = false;  // at the end all clients leave and join repeatedly
  // Mean time between two readings of the server's work clock; 0 for no clock. A long one leaves time for one newcomer
  // per tick.
  core::Nanoseconds work_step = 0;
  std::uint32_t unauthenticated_peers = 0;  // peers without a session that send packets
  std::uint32_t hostile_clients = 0;        // clients with a session that violate the protocol
  transport::NetworkConditions network{};   // outside network faults
  std::uint32_t seconds_max = 0;            // CPU time after which a plan counts as hung
  std::vector<Fault> faults;                // by tick
};

struct Size {
  std::uint32_t ticks = 2000;
  std::uint32_t players = 8;
  std::uint32_t entities = 300;
  std::uint32_t zones = 4;  // in scenarios of a cluster
  std::uint32_t nodes = 3;
};

struct Scenario {
  std::string_view name;
  std::string_view about;
  std::vector<Fault::Kind> faults;  // possible kinds
  bool hostile = false;             // has unauthenticated peers and hostile clients
  bool has_zones = false;           // the plan is a cluster's (cluster/cluster_simulation.hpp)
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
// Returns null if there is no scenario of that name.
[[nodiscard]] const Scenario* find_scenario(std::string_view name);

// Draws the plan of a seed. The scenario must exist.
[[nodiscard]] Plan draw_plan(std::uint64_t seed, std::string_view scenario, const Size& size);
[[nodiscard]] std::string to_string(const Fault& fault);
// Returns a line for the world and one per fault.
[[nodiscard]] std::string to_string(const Plan& plan);

}  // namespace mobula::sim

// What a seed draws: a world, who is in it, and what goes wrong. A plan is data: it is printed, and shortened.
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
  enum class Kind : std::uint8_t {  // fault_kinds() says what each does
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
  };
  Kind kind = Kind::network;
  std::uint32_t at = 0;     // tick of the simulation
  std::uint32_t ticks = 0;  // that it lasts
  std::uint32_t who = 0;    // a player
  std::uint32_t operations = 0;
  transport::NetworkConditions network{};
  core::Nanoseconds by = 0;
};

struct FaultKind {
  Fault::Kind kind;
  std::string_view name;  // in a printed plan
  std::string_view about;
  std::uint32_t per_1000_ticks;  // in a plan that has it
  std::uint32_t ticks_max;       // that it lasts
  bool of_player;
};
[[nodiscard]] std::span<const FaultKind> fault_kinds();

struct Plan {
  std::uint64_t seed = 0;
  std::uint32_t ticks = 0;        // in which things go wrong; after them everything has to come right
  std::uint32_t players = 0;      // at a time
  std::uint32_t players_max = 0;  // ServerConfig's: where liars have come in, there may be no room for one of them
  std::uint32_t entities = 0;
  std::uint32_t changes_max = 0;  // to the world, in a tick
  bool hides = false;             // layers, rooms and owners: not everyone sees everything
  bool has_level = false;
  std::uint32_t history_bytes = 0;  // ServerConfig's
  std::uint32_t delta_bytes = 0;
  std::uint32_t checkpoint_ticks = 0;
  std::uint64_t log_bytes = store::StoreConfig{}.log_bytes_max;
  std::uint32_t entities_max = 1u << 20;
  bool keeps_levels = false;                // some clients have the level on their disk, or get it there
  bool spectates = false;                   // somebody only looks on
  bool refuses_second = false;              // log-ins of an account that plays
  bool watches_memory = false;              // at the end everybody leaves and comes, over and over
  std::uint32_t unauthenticated_peers = 0;  // who have no session, and send what no client would
  std::uint32_t hostile_clients = 0;        // who have one
  transport::NetworkConditions network{};   // while no fault has another
  std::uint32_t seconds_max = 0;            // of CPU: what takes longer hangs
  std::vector<Fault> faults;                // by tick
};

struct Size {
  std::uint32_t ticks = 2000;
  std::uint32_t players = 8;
  std::uint32_t entities = 300;
};

struct Scenario {
  std::string_view name;
  std::string_view about;
  std::vector<Fault::Kind> faults;  // that there may be
  bool hostile = false;             // there are enemies
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
// Null: there is none of that name.
[[nodiscard]] const Scenario* find_scenario(std::string_view name);

// Of a scenario that there is.
[[nodiscard]] Plan draw_plan(std::uint64_t seed, std::string_view scenario, const Size& size);
[[nodiscard]] std::string to_string(const Fault& fault);
// One line each: the world, and the faults.
[[nodiscard]] std::string to_string(const Plan& plan);

}  // namespace mobula::sim

// A plan, played: the real server with its store, real clients, one clock, one network, one thread (and the store's
// writer, which is waited for). After each tick the oracle looks at all of it; when the plan's faults are over
// everything has to come right. The same plan gives the same hash, on any machine.
#pragma once

#include <functional>
#include <memory>
#include <mobula/client/temporary_folder.hpp>
#include <mobula/server/store/store.hpp>
#include <simulation/hostile.hpp>
#include <simulation/oracle.hpp>
#include <simulation/plan.hpp>
#include <simulation/sim_game.hpp>

namespace mobula::sim {

// Told what happens, in which tick; null: nobody is.
using Trace = std::function<void(std::uint32_t tick, const std::string& what)>;

struct Outcome {
  std::uint32_t ticks = 0;
  std::uint64_t hash = 0;
  std::string wrong;           // the first thing that was; empty: nothing
  std::uint64_t compared = 0;  // states of entities
  std::uint32_t restarts = 0;
  std::uint64_t rejoins = 0;
};

class Simulation {
 public:
  Simulation(Plan plan, Trace trace);
  ~Simulation();

  Outcome run();

 private:
  struct Player;
  struct ServerPort;
  struct PlayerPort;

  void begin_server();
  void end_server(bool in_good_order);
  void wait_for_writer();
  void begin_faults();
  void begin(const Fault& fault);
  void end(const Fault& fault);
  void act(Player& player);
  void come_back(Player& player);
  void enter(Player& player);
  [[nodiscard]] transport::ConnectToken token_of(const Player& player);
  void tick();
  void look();
  void settle();
  [[nodiscard]] bool is_quiet();
  [[nodiscard]] std::uint32_t number_of(const Player& player) const;
  void find(const std::string& what) {
    if (outcome_.wrong.empty()) outcome_.wrong = what;
  }
  void tell(const std::string& what) {
    if (trace_) trace_(outcome_.ticks, what);
  }
  void fold(std::uint64_t number);

  Plan plan_;
  Trace trace_;
  Outcome outcome_;
  core::Nanoseconds now_ = 0;
  transport::SimulatedNetwork network_;
  std::unique_ptr<client::TemporaryFolder> folder_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<SimGame> game_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<ServerPort> server_port_;
  Oracle oracle_;
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<Hostile> hostiles_;
  struct Saved {
    ecs::Tick tick = 0;
    std::uint64_t state = 0;
  };
  std::optional<Saved> saved_;  // by the last checkpoint
  std::uint64_t tokens_ = 0;
  bool rebuilt_ = false;  // which level's file is there
  std::size_t next_fault_ = 0;
};

}  // namespace mobula::sim

// Simulation of a plan: the real server with its store on a failing disk, and real clients. All share one clock, one
// network and one thread (the store's writer is waited for). After each tick the oracle checks everything; after the
// faults everything must recover. The same plan gives the same hash on any machine.
#pragma once

#include <ecs/allocations.hpp>
#include <functional>
#include <memory>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/histogram.hpp>
#include <mobula/server/store/database.hpp>
#include <mobula/server/store/store.hpp>
#include <simulation/census.hpp>
#include <simulation/hostile_client.hpp>
#include <simulation/oracle.hpp>
#include <simulation/plan.hpp>
#include <simulation/rewind_oracle.hpp>
#include <simulation/sim_game.hpp>
#include <simulation/simulated_disk.hpp>
#include <simulation/step_record.hpp>
#include <simulation/turns.hpp>
#include <simulation/unauthenticated_peer.hpp>

namespace mobula::sim {

// Receives events of the simulation, for traces; null functions are not called.
struct Listener {
  std::function<void(std::uint32_t tick)> tick;  // called at its begin
  // `entity` is null if the event concerns none.
  std::function<void(std::uint32_t tick, const std::string& what, ecs::Entity entity)> event;
};

// Packets received, not read yet.
class Unread {
 public:
  void add(const transport::Address& from, core::ByteView datagram) {
    if (waiting_.size() < most) waiting_.emplace_back(from, core::Bytes(datagram.begin(), datagram.end()));
  }
  // Calls read(from, datagram) for each, then removes them.
  template <class Read>
  void read_all(Read&& read) {
    for (const auto& [from, datagram] : waiting_) read(from, core::ByteView(datagram));
    waiting_.clear();
  }
  void clear() { waiting_.clear(); }

 private:
  static constexpr std::size_t most = 4096;  // datagrams; as in a socket's buffer

  std::vector<std::pair<transport::Address, core::Bytes>> waiting_;
};

struct Results {
  std::uint32_t ticks = 0;
  std::uint64_t hash = 0;
  std::uint64_t compared = 0;  // entity states
  std::uint64_t certain = 0;   // ticks that had to be as clients predicted
  std::uint64_t poses = 0;     // rewound ones that were compared
  std::uint32_t restarts = 0;
  std::uint64_t rejoins = 0;
  std::uint64_t crossings = 0;     // entities that went from one zone to another
  std::uint64_t zone_changes = 0;  // clients that followed their players
  std::uint64_t unseen = 0;        // updates of clients whose own entity was missing from their mirrors
  core::Histogram delays{};        // players in a cluster, but for those near changes of zone
  core::Histogram delays_near_changes{};
};

struct Outcome : Results {
  std::string wrong;  // first violation; empty if there is none
};

class Simulation {
 public:
  // `folder`: for its files.
  Simulation(Plan plan, Listener listener, std::string folder);
  ~Simulation();

  Outcome run();

 private:
  struct Player;
  struct ServerPort;
  struct ClientPort;

  void open_store();
  void begin_server();
  [[nodiscard]] core::Nanoseconds read_work_clock();
  void check_restored(ecs::Tick tick);
  void end_server(bool in_good_order);
  void restart_server();
  void revive();
  void watch_store(bool was_ready);
  [[nodiscard]] bool may_save() const;
  void begin_reading();
  void restore_power();
  void note_saved();
  void begin_faults();
  void begin(const Fault& fault);
  void apply(const Fault& fault);
  void end(const Fault& fault);
  void apply_again(const std::function<bool(const Fault&)>& which);
  void kick(const Player& player);
  void unban(const Player& player);
  void run_frame(Player& player);
  void act(Player& player);
  [[nodiscard]] core::Bytes any_command(Player& player);
  void follow(Player& player);
  void reconnect(Player& player);
  void enter(Player& player);
  void enter_twice(Player& player);
  void move(Player& player);
  [[nodiscard]] transport::ConnectToken token_of(const Player& player);
  void tick();
  void tick_server();
  void check();
  void deliver(const transport::Address& from, const transport::Address& to, core::ByteView datagram);
  void deliver_to_server(const transport::Address& from, core::ByteView datagram);
  // Counts the server's memory allocations during `work`.
  template <class Work>
  void count_memory(Work&& work);
  void read_events(Player& player);
  void check_event(Player& player, const client::ReceivedEvent& received);
  void check_event_order(Player& player, const SimGame::Event& event);
  void run_first(Player& player);
  void end_first(Player& player);
  void settle();
  void end_faults();
  void await_followers();
  [[nodiscard]] bool follows(const Player& player) const;
  void await_quiet();
  [[nodiscard]] bool is_quiet();
  bool run_last_commands();
  void check_last_commands();
  void check_at_last(Player& player);
  void watch_memory();
  void leave_and_join_again();
  [[nodiscard]] const server::ClientSession* session_of(const Player& player) const;
  [[nodiscard]] const server::ClientSession* session_at(const transport::Address& address) const;
  [[nodiscard]] std::uint32_t number_of(const Player& player) const;
  [[nodiscard]] static std::uint32_t number_of(const Player& player, const server::ClientSession* session);
  void watch_session(Player& player, const server::ClientSession* session);
  void check_sessions();
  std::optional<std::string> check_first(Player& player);
  void fail(const std::string& what) {
    if (outcome_.wrong.empty()) outcome_.wrong = what;
  }
  void check_size(core::ByteView datagram) {
    if (datagram.size() > transport::datagram_bytes_max) fail("a datagram exceeds datagram_bytes_max");
  }
  void trace(const std::string& what) {
    if (listener_.event) listener_.event(outcome_.ticks, what, ecs::null_entity);
  }
  [[nodiscard]] Oracle::Trace entity_trace();
  void fold(std::uint64_t number);

  Plan plan_;
  Listener listener_;
  Outcome outcome_;
  core::Nanoseconds now_ = 0;
  transport::SimulatedNetwork network_;
  std::string folder_;
  SimulatedDisk disk_;
  std::optional<store::Database> reader_;  // another program
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<SimGame> game_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<ServerPort> server_port_;
  Oracle oracle_;
  Census census_;
  StepRecord steps_;
  RewindOracle views_;
  Turns turns_;
  core::Random work_random_;
  core::Nanoseconds work_time_ = 0;  // on the server's work clock
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<UnauthenticatedPeer> unauthenticated_peers_;
  std::vector<HostileClient> hostile_clients_;
  std::optional<client::ResourceFolder> levels_;  // levels on the disks of clients
  Unread unread_;                                 // while the server is stalled
  std::int64_t server_bytes_ = 0;   // memory that the server's ticks and datagrams took and did not release
  std::set<std::string> banned_;    // accounts
  core::Nanoseconds date_off_ = 0;  // error of the server's date
  bool stalled_ = false;
  bool all_leave_ = false;  // no client joins
  struct Saved {
    ecs::Tick tick = 0;
    std::uint64_t state = 0;
    core::Random::State chance{};
    Census::Known players;
  };
  [[nodiscard]] Saved now_saved(ecs::Tick tick);
  std::optional<Saved> saved_;            // by the last checkpoint known to be on disk
  std::vector<Saved> pending_saves_;      // by later checkpoints
  std::uint32_t able_to_save_since_ = 0;  // tick since which nothing kept the server from saving
  std::uint64_t tokens_ = 0;
  bool rebuilt_ = false;  // which of the two levels is loaded
  std::size_t next_fault_ = 0;
};

}  // namespace mobula::sim

// A plan, played: the real server with its store on a disk that fails, real clients, one clock, one network, one thread
// (and the store's writer, which is waited for). After each tick the oracle looks at all of it; when the plan's faults
// are over everything has to come right. The same plan gives the same hash, on any machine.
#pragma once

#include <ecs/allocations.hpp>
#include <functional>
#include <memory>
#include <mobula/server/store/database.hpp>
#include <mobula/server/store/store.hpp>
#include <simulation/census.hpp>
#include <simulation/hostile_client.hpp>
#include <simulation/oracle.hpp>
#include <simulation/plan.hpp>
#include <simulation/sim_game.hpp>
#include <simulation/simulated_disk.hpp>
#include <simulation/unauthenticated_peer.hpp>

namespace mobula::sim {

// Who is told what happens; null: nobody is.
struct Listener {
  std::function<void(std::uint32_t tick)> tick;  // begins
  // To the entity; null: to none.
  std::function<void(std::uint32_t tick, const std::string& what, ecs::Entity entity)> event;
};

// What has come, and nobody has read yet.
class Unread {
 public:
  void add(const transport::Address& from, core::ByteView datagram) {
    if (waiting_.size() < most) waiting_.emplace_back(from, core::Bytes(datagram.begin(), datagram.end()));
  }
  // read(from, datagram) of each.
  template <class Read>
  void take(Read&& read) {
    for (const auto& [from, datagram] : waiting_) read(from, core::ByteView(datagram));
    waiting_.clear();
  }
  void clear() { waiting_.clear(); }

 private:
  static constexpr std::size_t most = 4096;  // datagrams, as a socket has room for

  std::vector<std::pair<transport::Address, core::Bytes>> waiting_;
};

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
  void check_restored(ecs::Tick tick);
  void end_server(bool in_good_order);
  void stop_and_begin();
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
  void send_away(const Player& player);
  void unban(const Player& player);
  void run_frame(Player& player);
  void act(Player& player);
  void come_back(Player& player);
  void enter(Player& player);
  void enter_twice(Player& player);
  void move(Player& player);
  [[nodiscard]] transport::ConnectToken token_of(const Player& player);
  void tick();
  void tick_server();
  void check();
  void take(const transport::Address& from, const transport::Address& to, core::ByteView datagram);
  void take_at_server(const transport::Address& from, core::ByteView datagram);
  // Counts what the server allocates meanwhile.
  template <class Work>
  void count_memory(Work&& work);
  void hear(Player& player);
  void hear(Player& player, const client::ReceivedEvent& received);
  void hear_in_order(Player& player, const SimGame::Event& event);
  void run_first(Player& player);
  void end_first(Player& player);
  void settle();
  void mend();
  void go_on();
  [[nodiscard]] bool follows(const Player& player) const;
  void come_to_rest();
  [[nodiscard]] bool is_quiet();
  bool carry_out_orders();
  void give_orders();
  void check_at_last(Player& player);
  void watch_memory();
  void come_and_go();
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
    if (datagram.size() > transport::datagram_bytes_max) fail("a datagram is larger than any path has to take");
  }
  void tell(const std::string& what) {
    if (listener_.event) listener_.event(outcome_.ticks, what, ecs::null_entity);
  }
  [[nodiscard]] Oracle::Tell tell_of_entity();
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
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<UnauthenticatedPeer> unauthenticated_peers_;
  std::vector<HostileClient> hostile_clients_;
  std::optional<client::ResourceStore> levels_;  // of those clients that have one
  Unread unread_;                                // while the server stands still
  std::int64_t server_bytes_ = 0;                // of memory: what its ticks and datagrams took and did not give back
  ecs::test::CountedBytes* counted_ = nullptr;   // while the server does something
  std::set<std::string> banned_;                 // accounts
  core::Nanoseconds date_off_ = 0;               // the server's
  bool stalled_ = false;
  bool away_ = false;  // nobody comes
  struct Saved {
    ecs::Tick tick = 0;
    std::uint64_t state = 0;
    core::Random::State chance{};
    Census::Known players;
  };
  [[nodiscard]] Saved now_saved(ecs::Tick tick);
  std::optional<Saved> saved_;      // by the last checkpoint that is known to be on the disk
  std::vector<Saved> maybe_saved_;  // by those after it
  std::uint32_t well_since_ = 0;    // tick from which on nothing kept the server from saving
  std::uint64_t tokens_ = 0;
  bool rebuilt_ = false;  // which level's file is there
  std::size_t next_fault_ = 0;
};

}  // namespace mobula::sim

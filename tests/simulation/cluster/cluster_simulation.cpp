#include <algorithm>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <simulation/chance.hpp>
#include <simulation/cluster/cluster_simulation.hpp>

namespace mobula::sim {
namespace {

constexpr core::Nanoseconds step_length = 10 * core::millisecond;
constexpr int steps_per_tick = static_cast<int>(ZoneProcess::tick_length / step_length);
constexpr float zone_side = 60;              // metres
constexpr std::uint32_t restart_ticks = 20;  // until a process that has ended by itself begins again
constexpr std::uint32_t set_up_ticks = 600;
constexpr std::uint32_t walk_ticks = 100;  // after the faults
constexpr std::uint32_t settle_ticks = 2400;
constexpr std::uint32_t with_mirrors = 200;  // players; further ones are light
constexpr const char* map_name = "land";

std::string world_of(std::uint32_t zone) { return core::format("{}.z{}", map_name, zone); }

std::uint32_t columns_of(std::uint32_t zones) {
  auto columns = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(zones)));
  while (zones % columns != 0) --columns;
  return columns;
}

// Sides of a grid's cell; those at the edges are without end.
std::string side(std::uint32_t cell, std::uint32_t cells) {
  const float least = (static_cast<float>(cell) - static_cast<float>(cells) / 2) * zone_side;
  return core::format("[{}, {}]", cell == 0 ? "null" : core::format("{}", least),
                      cell + 1 == cells ? "null" : core::format("{}", least + zone_side));
}

std::string grid(std::uint32_t zones) {
  const std::uint32_t columns = columns_of(zones);
  std::string json;
  for (std::uint32_t i = 0; i < zones; ++i)
    json += core::format(R"({}{{"name": "z{}", "x": {}, "z": {}}})", i == 0 ? "" : ", ", i, side(i % columns, columns),
                         side(i / columns, zones / columns));
  return core::format(R"({{"zones": [{}], "entities_per_zone": 4096, "spare_zones": 4, "hysteresis": 1}})", json);
}

}  // namespace

ClusterSimulation::ClusterSimulation(Plan plan, Listener listener, const std::string& folder)
    : plan_(std::move(plan)),
      listener_(std::move(listener)),
      disk_(plan_.seed),
      random_(salted(plan_.seed, Salt::memory)),
      chance_(salted(plan_.seed, Salt::work)),
      wires_(salted(plan_.seed, Salt::network), plan_.network),
      cluster_{.store = store_, .random = random_, .wires = wires_, .census = census_, .folder = folder} {
  const std::uint32_t columns = columns_of(plan_.zones);
  cluster_.game = {.walkers = plan_.entities / plan_.zones,
                   .extent = zone_side / 2 * static_cast<float>(std::min(columns, plan_.zones / columns))};
  cluster_.zones = plan_.zones;
  cluster_.checkpoint_ticks = plan_.checkpoint_ticks;
  cluster_.players_max = plan_.players_max;
  machines_.resize(plan_.nodes);
  for (std::uint32_t i = 0; i < placers; ++i) backends_.push_back(std::make_unique<Backend>(store_, random_));
  const auto find = [this](const std::string& world) { return find_world(world); };
  for (std::uint32_t i = 0; i < plan_.players; ++i)
    players_.push_back(std::make_unique<ZonePlayer>(
        wires_, find, [this, i](const std::string& what) { trace(core::format("player {} {}", i, what)); }, i,
        world_of(i % plan_.zones), i >= with_mirrors));
  for (const auto& player : players_) player_named_[player->name()] = player.get();
  census_.executes = [this](const std::string& account, std::uint32_t command) {
    player_named_.at(account)->delays.on_executed(command, wires_.now);
  };
}

ClusterSimulation::~ClusterSimulation() = default;

std::optional<cluster::WorldRecord> ClusterSimulation::find_world(const std::string& world) const {
  const auto& worlds = backends_.front()->placer.directory().worlds();
  const auto found = worlds.find(world);
  return found == worlds.end() ? std::nullopt : std::optional(found->second.record);
}

void ClusterSimulation::set_map(const server::ZoneMap& map) {
  map_ = map;
  static_cast<void>(backends_.front()->client.commit(
      {.conditions = {}, .puts = {{core::format("c/maps/{}", map_name), map.to_json(), 0}}, .erased = {}}));
}

// Runs without faults until all zones are open and saved. A world that is lost before its first save begins anew.
void ClusterSimulation::set_up() {
  Backend& backend = *backends_.front();
  for (std::uint32_t i = 0; i < machines_.size(); ++i) begin_process(i);
  const auto nodes = [&] { return backend.placer.directory().nodes().size(); };
  for (std::uint32_t i = 0; i < set_up_ticks && nodes() < machines_.size(); ++i) step(true);
  set_map(*server::ZoneMap::parse(grid(plan_.zones)));
  for (std::uint32_t i = 0; i < plan_.zones; ++i)
    backend.placer.create(backend.client, world_of(i), WalkerGame::hash());
  std::uint32_t saved = 0;
  for (std::uint32_t i = 0; i < set_up_ticks * steps_per_tick && saved < plan_.zones; ++i) {
    step(i % steps_per_tick == 0);
    saved = 0;
    for (const Machine& machine : machines_)
      machine.process->each_zone([&](const std::string&, server::Server& server) {
        saved += server.world().tick() > plan_.checkpoint_ticks + 2 ? 1 : 0;
      });
  }
  if (saved < plan_.zones) fail("not all zones were opened and saved");
}

void ClusterSimulation::step(bool ticks) {
  wires_.now += step_length;
  store_.advance(wires_.now);
  wires_.deliver();
  for (const auto& backend : backends_) {
    backend->client.advance(wires_.now);
    backend->placer.update(backend->client, wires_.now);
  }
  for (std::uint32_t i = 0; i < machines_.size(); ++i) run_machine(i, ticks);
}

void ClusterSimulation::run_machine(std::uint32_t number, bool ticks) {
  Machine& machine = machines_[number];
  if (wires_.paused.contains(number)) return;
  if (machine.process == nullptr) {
    if (machine.begins_at <= outcome_.ticks) begin_process(number);
    return;
  }
  machine.process->step(wires_.now, date_at(wires_.now + machine.date_off), ticks);
  if (!machine.process->is_over()) return;
  if (!std::exchange(machine.ended, false)) trace(ZoneProcess::node_name(number) + " has ended by itself");
  end_process(number, restart_ticks);
}

void ClusterSimulation::begin_process(std::uint32_t number) {
  machines_[number].process = std::make_unique<ZoneProcess>(cluster_, number, totals_);
}

void ClusterSimulation::end_process(std::uint32_t number, std::uint32_t ticks) {
  if (machines_[number].process == nullptr) return;
  machines_[number].process.reset();
  machines_[number].begins_at = outcome_.ticks + ticks;
  ++outcome_.restarts;
}

void ClusterSimulation::update_player(std::uint32_t number) {
  ZonePlayer& player = *players_[number];
  if (mute_.contains(number)) return;
  const bool settles = outcome_.ticks >= plan_.ticks;
  if (player.plays() && !settles && chance_.chance(1, 4)) player.send_command();
  if (!plan_.faults.empty() && !settles && chance_.chance(1, 1000)) player.restart();
  player.update(wires_.now);
}

void ClusterSimulation::tick() {
  if (listener_.tick) listener_.tick(outcome_.ticks);
  begin_faults();
  for (int i = 0; i < steps_per_tick; ++i) step(i == 0);
  for (std::uint32_t i = 0; i < players_.size(); ++i) update_player(i);
  check();
  ++outcome_.ticks;
}

void ClusterSimulation::check() {
  census_.begin();
  for (std::uint32_t i = 0; i < machines_.size(); ++i) {
    ZoneProcess* const process = machines_[i].process.get();
    if (process == nullptr || wires_.paused.contains(i) || !process->may_serve(wires_.now)) continue;
    process->each_zone([&](const std::string& name, server::Server& server) { census_.look(name, server); });
  }
  if (!census_.wrong.empty()) fail(census_.wrong);
}

// --- Faults --------------------------------------------------------------------------------------------------------

void ClusterSimulation::begin_faults() {
  for (std::size_t i = 0; i < next_fault_; ++i)
    if (plan_.faults[i].at + plan_.faults[i].ticks == outcome_.ticks) apply(plan_.faults[i], false);
  // The end of a fault may have ended overlapping ones.
  for (std::size_t i = 0; i < next_fault_; ++i)
    if (plan_.faults[i].at + plan_.faults[i].ticks > outcome_.ticks && plan_.faults[i].ticks > 1 &&
        plan_.faults[i].kind != Fault::Kind::node_killed && plan_.faults[i].kind != Fault::Kind::node_ended)
      apply(plan_.faults[i], true);
  for (; next_fault_ < plan_.faults.size() && plan_.faults[next_fault_].at <= outcome_.ticks; ++next_fault_)
    begin(plan_.faults[next_fault_]);
}

void ClusterSimulation::begin(const Fault& fault) {
  trace(to_string(fault));
  using Kind = Fault::Kind;
  const std::uint32_t node = fault.who % plan_.nodes;
  Machine& machine = machines_[node];
  if (fault.kind == Kind::map) return change_map();
  if (fault.kind == Kind::node_killed) return end_process(node, fault.ticks);
  if (fault.kind == Kind::node_ended) {
    if (machine.process == nullptr) return;
    machine.ended = true;
    return machine.process->drain();
  }
  apply(fault, true);
}

// Lasting faults may be applied again.
void ClusterSimulation::apply(const Fault& fault, bool begins) {
  using Kind = Fault::Kind;
  const std::uint32_t node = fault.who % plan_.nodes;
  const std::uint32_t player = fault.who % plan_.players;
  const std::pair<std::uint32_t, std::uint32_t> path = std::minmax(node, (node + 1) % plan_.nodes);
  switch (fault.kind) {
    case Kind::network: return wires_.network.set_conditions(begins ? fault.network : plan_.network);
    case Kind::cut:
      begins ? void(wires_.isolated.insert(players_[player]->machine()))
             : void(wires_.isolated.erase(players_[player]->machine()));
      return;
    case Kind::mute: begins ? void(mute_.insert(player)) : void(mute_.erase(player)); return;
    case Kind::disk_full:
      return disk_.set_trouble(begins ? SimulatedDisk::Trouble::full : SimulatedDisk::Trouble::none);
    case Kind::node_paused: begins ? void(wires_.paused.insert(node)) : wires_.resume(node); return;
    case Kind::node_cut:
      if (machines_[node].process != nullptr) machines_[node].process->coordinator().network.cut = begins;
      return;
    case Kind::parted: begins ? void(wires_.parted.insert(path)) : void(wires_.parted.erase(path)); return;
    case Kind::node_date: machines_[node].date_off = begins ? fault.by : 0; return;
    case Kind::no_majority: return store_.set_majority(!begins, wires_.now);
    case Kind::coordinator_full: return store_.set_full(begins);
    case Kind::slow_coordinator:
      for (const Machine& machine : machines_) {
        if (machine.process == nullptr) continue;
        test::TwinClient::Network& network = machine.process->coordinator().network;
        network.lost_in_1000 = network.late_in_1000 = begins ? 100 : 0;
      }
      return;
    default: return;
  }
}

// Splits a zone in the middle, or merges what the last split has made.
void ClusterSimulation::change_map() {
  Backend& backend = *backends_.front();
  if (std::exchange(is_split_, !is_split_)) {
    const std::string from = map_->zones().back().name;
    const core::Result<server::ZoneMap> merged = map_->merge(from, "z0");
    if (!merged) return fail("the map is not merged: " + merged.error().message);
    return set_map(*merged);
  }
  const std::string name = core::format("z{}", plan_.zones);
  const server::Region region = map_->zones().front().region;
  const float least = std::max(region.x_min, -cluster_.game.extent);
  const float most = std::min(region.x_max, cluster_.game.extent);
  const core::Result<server::ZoneMap> split = map_->split("z0", {.at = (least + most) / 2, .name = name});
  if (!split) return fail("the map is not split: " + split.error().message);
  set_map(*split);
  backend.placer.create(backend.client, world_of(plan_.zones), WalkerGame::hash());
}

// --- The end -------------------------------------------------------------------------------------------------------

// Returns an entity near a zone's border that the zone does not show; nothing if there is none.
std::string ClusterSimulation::missing_ghost() {
  constexpr float near = WalkerGame::sight * 3 / 4;
  std::map<std::string, server::World*> worlds;
  for (const Machine& machine : machines_)
    if (machine.process != nullptr)
      machine.process->each_zone(
          [&](const std::string& name, server::Server& server) { worlds[name] = &server.world(); });
  std::string missing;
  for (const auto& [name, world] : worlds) {
    const ecs::Registry& registry = world->registry();
    registry.view<const demo::Avatar, const engine::Transform>().each(
        [&](ecs::Entity entity, const demo::Avatar& avatar, const engine::Transform& transform) {
          if (world->is_ghost(entity) || registry.try_get<const engine::Parent>(entity) != nullptr) return;
          for (const auto& [other, there] : worlds)
            if (there->zone()->region.distance_squared(transform.position) < near * near &&
                !there->registry().valid(entity))
              missing = core::format("entity {} of {} has no ghost in {}", avatar.player, name, other);
        });
  }
  return missing;
}

// Returns a ghost whose entity has ended, or that is older than some ticks; nothing if there is none.
std::string ClusterSimulation::wrong_ghost() {
  constexpr std::uint32_t ticks_max = 20;
  std::map<std::uint32_t, std::uint32_t> score_of;  // by number
  std::string wrong;
  const auto each_avatar = [&](bool ghosts, const auto& visit) {
    for (const Machine& machine : machines_) {
      if (machine.process == nullptr) continue;
      machine.process->each_zone([&](const std::string& name, server::Server& server) {
        server.world().registry().view<const demo::Avatar>().each([&](ecs::Entity entity, const demo::Avatar& avatar) {
          if (server.world().is_ghost(entity) == ghosts) visit(name, avatar);
        });
      });
    }
  };
  each_avatar(false, [&](const std::string&, const demo::Avatar& avatar) { score_of[avatar.player] = avatar.score; });
  each_avatar(true, [&](const std::string& name, const demo::Avatar& avatar) {
    const auto owner = score_of.find(avatar.player);
    const bool is_current = owner != score_of.end() && owner->second - avatar.score <= ticks_max;
    if (!is_current) wrong = core::format("the ghost of entity {} in {} is of the past", avatar.player, name);
  });
  return wrong;
}

// A client notices the end of its server only by a timeout.
bool ClusterSimulation::is_served(const ZonePlayer& player) const {
  const std::optional<cluster::WorldRecord> world = find_world(player.world());
  return world && world->addresses == std::vector<std::string>{"udp://" + to_string(player.connection().server())};
}

std::string ClusterSimulation::unquiet() {
  const cluster::Directory& directory = backends_.front()->placer.directory();
  for (const auto& [name, world] : directory.worlds())
    if (world.record.state != cluster::WorldState::open)
      return core::format("world {} is not open: {}", name, world.record.trouble);
  if (!directory.crossings().empty()) return core::format("{} crossings are not settled", directory.crossings().size());
  for (const auto& player : players_)
    if (!player->is_complete() || !is_served(*player)) return player->name() + " does not play: " + player->status();
  const std::string missing = missing_ghost();
  return missing.empty() ? wrong_ghost() : missing;
}

// Ends all faults, and waits until everything has recovered.
void ClusterSimulation::settle() {
  for (std::size_t i = 0; i < next_fault_; ++i) {
    Fault& fault = plan_.faults[i];
    if (fault.at + fault.ticks > outcome_.ticks) apply(fault, false);
    fault.ticks = std::min(fault.ticks, outcome_.ticks - fault.at);
  }
  wires_.network.set_conditions({});
  for (std::uint32_t i = 0; i < walk_ticks && outcome_.wrong.empty(); ++i) tick();
  census_.stands_still = true;
  const std::uint32_t end = outcome_.ticks + settle_ticks;
  std::string wait;
  do {
    tick();
    wait = unquiet();
  } while (outcome_.wrong.empty() && outcome_.ticks < end && !wait.empty());
  if (!wait.empty()) fail("not all has recovered: " + wait);
}

// Each player's last command is executed.
void ClusterSimulation::await_commands() {
  std::vector<std::uint32_t> last;
  for (const auto& player : players_) last.push_back(player->send_command());
  const auto waiting = [&]() -> std::string {
    for (std::size_t i = 0; i < last.size(); ++i)
      if (census_.executed(players_[i]->name()) != last[i])
        return core::format("command {} of {} was not executed: {}", last[i], players_[i]->name(),
                            players_[i]->status());
    return {};
  };
  const std::uint32_t end = outcome_.ticks + settle_ticks;
  while (outcome_.wrong.empty() && outcome_.ticks < end && !waiting().empty()) tick();
  if (const std::string wait = waiting(); !wait.empty()) fail(wait);
}

void ClusterSimulation::check_at_last() {
  census_.check_all();
  if (!census_.wrong.empty()) return fail(census_.wrong);
  const bool calm = plan_.faults.empty();
  for (const auto& player : players_) {
    if (player->mismatched() != 0) fail(player->name() + " had a wrong mirror");
    if (calm && player->unseen != 0) fail(player->name() + " did not see its own entity");
    if (calm && player->rejoins != 0) fail(player->name() + " was disconnected");
  }
  if (calm && census_.players != players_.size()) fail("a player has several entities");
  if (calm && !census_.left_out.empty()) fail(census_.left_out);
}

Outcome ClusterSimulation::run() {
  set_up();
  while (outcome_.ticks < plan_.ticks && outcome_.wrong.empty()) tick();
  if (outcome_.wrong.empty()) settle();
  if (outcome_.wrong.empty()) check_at_last();
  if (outcome_.wrong.empty()) await_commands();
  for (const auto& player : players_) {
    outcome_.rejoins += player->rejoins;
    outcome_.zone_changes += player->zone_changes;
    outcome_.unseen += player->unseen;
    player->delays.add_to(outcome_.delays_near_changes, outcome_.delays, ZoneProcess::tick_length);
  }
  for (Machine& machine : machines_) machine.process.reset();
  if (totals_.ghosts_corrected != 0) fail(core::format("{} ghosts were corrected", totals_.ghosts_corrected));
  if (totals_.mirror_mismatches != 0)
    fail(core::format("{} ticks of neighbours were wrong", totals_.mirror_mismatches));
  outcome_.compared = census_.compared;
  outcome_.crossings = totals_.crossings_in;
  outcome_.hash = core::hash64(core::as_bytes(&census_.digest, 1), outcome_.hash);
  return outcome_;
}

}  // namespace mobula::sim

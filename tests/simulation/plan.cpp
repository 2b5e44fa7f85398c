#include <algorithm>
#include <array>
#include <mobula/core/assert.hpp>
#include <mobula/core/random.hpp>
#include <mobula/wire/delta.hpp>
#include <simulation/chance.hpp>
#include <simulation/plan.hpp>

namespace mobula::sim {
namespace {

using Type = Fault::Kind;

constexpr std::string_view of_player = "player";
constexpr std::string_view of_node = "node";
constexpr std::string_view of_none;

constexpr std::array kinds{
    FaultKind{Type::network, "network", "the plan's network conditions for all clients", 6, 200, of_none},
    FaultKind{Type::cut, "cut", "no packets to or from the player's client", 6, 300, of_player},
    FaultKind{Type::deaf, "deaf", "no packets to it", 4, 100, of_player},
    FaultKind{Type::silent, "silent", "no packets from it", 4, 100, of_player},
    FaultKind{Type::mute, "mute", "its program pauses, then reads all packets at once", 6, 400, of_player},
    FaultKind{Type::clock_jump, "clock jump", "its clock jumps", 3, 1, of_player},
    FaultKind{Type::clock_drift, "clock drift", "its clock runs faster or slower by this time per second", 3, 400,
              of_player},
    FaultKind{Type::broken, "broken", "its stream closes, for both sides or only for the client", 8, 1, of_player},
    FaultKind{Type::full, "full", "the pipe to it accepts nothing", 4, 100, of_player},
    FaultKind{Type::slow, "slow", "the pipe to it accepts packets in every eighth tick only", 4, 300, of_player},
    FaultKind{Type::moved, "move", "its address changes", 2, 1, of_player},
    FaultKind{Type::twice, "second log-in", "its program is started a second time while the first runs", 2, 1,
              of_player},
    FaultKind{Type::kick, "kick", "the player is kicked", 2, 1, of_player},
    FaultKind{Type::ban, "ban", "the player is banned", 1, 200, of_player},
    FaultKind{Type::stall, "stall", "the server's process pauses", 3, 60, of_none},
    FaultKind{Type::date, "date", "the server's date is wrong: tokens seem to be from another time", 2, 200, of_none},
    FaultKind{Type::reload, "reload", "the server reloads another level", 1, 1, of_none},
    FaultKind{Type::disk_full, "disk full", "the store's disk is full", 2, 200, of_none},
    FaultKind{Type::disk_errors, "disk errors", "the store's disk fails at random, and writes short", 2, 200, of_none},
    FaultKind{Type::no_memory, "no memory for SQLite", "memory allocations of SQLite fail at random", 2, 200, of_none},
    FaultKind{Type::crash, "crash",
              "power loss after this number of disk operations; the server restarts from its store", 2, 1, of_none},
    FaultKind{Type::stop, "stop", "the server shuts down in good order and restarts", 1, 1, of_none},
    FaultKind{Type::drain, "drain", "the server admits nobody, and stops after this time or when it is empty", 1, 1,
              of_none},
    FaultKind{Type::reader, "reader", "another program reads the world's file: its log stays", 2, 400, of_none},
    FaultKind{Type::narrow, "narrow", "no packets above 1,100 bytes to or from the player's client", 4, 600, of_player},
    FaultKind{Type::node_killed, "node killed", "its process ends without a word, and begins again after this time", 6,
              200, of_node},
    FaultKind{Type::node_paused, "node paused", "its process does nothing", 4, 120, of_node},
    FaultKind{Type::node_ended, "node ended", "its process ends in good order, and begins again after this time", 2,
              100, of_node},
    FaultKind{Type::node_cut, "node cut", "it does not reach the coordinator", 3, 100, of_node},
    FaultKind{Type::parted, "parted", "it and the next node do not reach each other", 4, 300, of_node},
    FaultKind{Type::node_date, "node date",
              "its date is wrong: it refuses tokens, and others refuse those that it makes", 3, 300, of_node},
    FaultKind{Type::no_majority, "no majority", "the coordinator neither reads nor writes", 2, 100, of_none},
    FaultKind{Type::coordinator_full, "coordinator full", "the coordinator writes nothing, and leases go on", 2, 100,
              of_none},
    FaultKind{Type::slow_coordinator, "slow coordinator", "requests and answers are lost, and some requests are late",
              3, 200, of_none},
    FaultKind{Type::map, "map", "a zone is split, or the last split is merged again", 2, 1, of_none},
};

// All newcomers, some of them or one alone in a tick of 50 ms.
constexpr std::array work_steps{100 * core::microsecond, 3 * core::millisecond, 30 * core::millisecond};
constexpr std::uint64_t small_log_bytes = 100'000;  // some checkpoints
constexpr std::uint32_t seconds_max = 100;  // plus 1 s per 10 ticks: far more than any plan takes, with sanitizers too

std::vector<Type> every_kind_of_a_server() {
  std::vector<Type> all;
  for (const FaultKind& each : kinds)
    if (each.kind < Type::node_killed) all.push_back(each.kind);
  return all;
}

const FaultKind& info(Type kind) {
  return *std::ranges::find_if(kinds, [&](const FaultKind& each) { return each.kind == kind; });
}

transport::NetworkConditions draw_network(core::Random& random, bool bad) {
  transport::NetworkConditions drawn{.latency = random.below(bad ? 400 : 80) * core::millisecond,
                                     .jitter = random.below(bad ? 200 : 40) * core::millisecond,
                                     .loss_ppm = random.below(bad ? 300'000 : 50'000),
                                     .duplicate_ppm = random.below(bad ? 200'000 : 20'000),
                                     .reorder_ppm = random.below(bad ? 200'000 : 50'000)};
  if (!bad) return drawn;
  if (random.chance(1, 4)) drawn.loss_ppm = 1'000'000;
  if (random.chance(1, 8)) drawn.latency = random.below(4000) * core::millisecond;
  if (random.chance(1, 3)) drawn.corrupt_ppm = random.below(200'000);
  if (random.chance(1, 3)) {
    drawn.burst_ppm = random.below(50'000);
    drawn.burst_length = 1 + random.below(40);
  }
  if (random.chance(1, 4)) drawn.bandwidth_bytes_per_second = 4'000 + random.below(60'000);
  return drawn;
}

Fault draw_fault(core::Random& random, const FaultKind& kind, const Plan& plan) {
  Fault fault;
  fault.kind = kind.kind;
  fault.at = 20 + random.below(std::max(plan.ticks, 21u) - 20);
  fault.ticks = 1 + random.below(kind.ticks_max);
  fault.who = random.below(kind.of == of_node ? plan.nodes : plan.players);
  if (kind.kind == Type::crash) fault.operations = random.chance(1, 4) ? 0 : random.below(60);
  if (kind.kind == Type::network) fault.network = draw_network(random, true);
  if (kind.kind == Type::clock_jump) fault.by = (random.below(8000) - core::Nanoseconds{3000}) * core::millisecond;
  if (kind.kind == Type::drain) fault.by = random.below(5'000) * core::millisecond;
  if (kind.kind == Type::clock_drift) fault.by = (random.below(200) - core::Nanoseconds{100}) * core::millisecond;
  if (kind.kind == Type::date || kind.kind == Type::node_date)
    fault.by = (random.below(8000) - core::Nanoseconds{4000}) * core::second;
  return fault;
}

void draw_faults(core::Random& random, const Scenario& scenario, Plan& plan) {
  for (const Type kind : scenario.faults) {
    const FaultKind& one = info(kind);
    const std::uint64_t most = (2 * std::uint64_t{one.per_1000_ticks} * plan.ticks + 999) / 1000;
    for (std::uint32_t count = random.below(static_cast<std::uint32_t>(most) + 1); count > 0; --count)
      plan.faults.push_back(draw_fault(random, one, plan));
  }
}

}  // namespace

std::span<const FaultKind> fault_kinds() { return kinds; }

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"all", "everything that can go wrong", every_kind_of_a_server(), true},
      {"network", "loss, delay, partitions", {Type::network, Type::cut, Type::deaf, Type::silent}, false},
      {"narrow", "paths that carry small packets only, with loss", {Type::network, Type::narrow}, false},
      {"clients",
       "clients that pause, lose connections, are slow or have wrong clocks; a server that pauses",
       {Type::mute, Type::broken, Type::full, Type::slow, Type::moved, Type::twice, Type::stall, Type::date,
        Type::clock_jump, Type::clock_drift},
       false},
      {"operator",
       "kicks, bans, level reloads, shutdowns",
       {Type::kick, Type::ban, Type::reload, Type::stop, Type::drain},
       false},
      {"store",
       "power loss, a failing and full disk, restarts",
       {Type::crash, Type::stop, Type::reload, Type::disk_full, Type::disk_errors, Type::no_memory, Type::reader},
       false},
      {"hostile", "garbage, replays, false messages, stolen and invalid tokens", {Type::network}, true},
      {"calm", "only the world's own changes", {}, false},
      {"zones",
       "zones of a cluster, on nodes that end, pause, and lose their paths and their coordinator",
       {Type::node_killed, Type::node_paused, Type::node_ended, Type::node_cut, Type::parted, Type::no_majority,
        Type::coordinator_full, Type::slow_coordinator, Type::map, Type::network, Type::cut, Type::mute,
        Type::disk_full, Type::node_date},
       false,
       true},
      {"calm-zones", "zones of a cluster without faults", {}, false, true},
  };
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  const auto found = std::ranges::find(scenarios(), name, &Scenario::name);
  return found == scenarios().end() ? nullptr : &*found;
}

Plan draw_cluster_plan(std::uint64_t seed, const Scenario& scenario, const Size& size) {
  core::Random random(salted(seed, Salt::plan));
  Plan plan;
  plan.seed = seed;
  plan.ticks = size.ticks;
  plan.zones = size.zones;
  plan.nodes = size.nodes;
  plan.players = size.players;
  plan.players_max = size.players + 100;
  plan.entities = size.entities;
  plan.checkpoint_ticks = 5 + random.below(60);
  plan.seconds_max = seconds_max + size.ticks / 10 * (1 + size.players / 50);
  plan.network = scenario.faults.empty() ? transport::NetworkConditions{.latency = 25 * core::millisecond}
                                         : draw_network(random, false);
  draw_faults(random, scenario, plan);
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  return plan;
}

Plan draw_plan(std::uint64_t seed, std::string_view scenario, const Size& size) {
  const Scenario* drawn = find_scenario(scenario);
  MOBULA_ASSERT(drawn != nullptr, "no such scenario");
  if (drawn->has_zones) return draw_cluster_plan(seed, *drawn, size);
  core::Random random(salted(seed, Salt::plan));
  Plan plan;
  plan.seed = seed;
  plan.ticks = size.ticks;
  plan.players = size.players;
  plan.entities = size.entities;
  plan.changes_max = 2 + random.below(40);
  plan.hides = random.chance(2, 3);
  plan.has_level = random.chance(1, 2);
  plan.has_large = seed % 4 == 1;
  plan.predicts = seed % 3 == 2;
  plan.has_rules = seed % 3 == 1;
  plan.rewinds = seed % 5 < 2;
  plan.history_bytes = random.chance(1, 4) ? short_history_bytes : 1u << 20;
  plan.delta_bytes = random.chance(1, 4) ? 500 : 24 * 1024;
  plan.checkpoint_ticks = 5 + random.below(60);
  const bool keeps_levels = plan.has_level && random.chance(1, 2);
  plan.keeps_levels = keeps_levels || (plan.has_level && plan.has_rules);  // rules read the level
  plan.spectates = random.chance(1, 2);
  plan.watches_memory = random.chance(1, 4);
  plan.players_max = plan.players + (random.chance(1, 4) ? 0 : 100);
  plan.refuses_second = random.chance(1, 4);
  plan.unauthenticated_peers = drawn->hostile ? 1 + random.below(3) : 0;
  plan.hostile_clients = drawn->hostile ? 1 + random.below(3) : 0;
  plan.seconds_max = seconds_max + plan.ticks / 10;
  if (!drawn->faults.empty()) plan.network = draw_network(random, false);
  if (plan.has_rules && !drawn->faults.empty() && seed % 2 == 0) {  // commands are late
    plan.network.jitter += 60 * core::millisecond;
    plan.network.loss_ppm += 60'000;
  }
  draw_faults(random, *drawn, plan);
  if (random.chance(1, 4)) plan.delta_bytes = wire::delta_bytes_max + 50 + random.below(3000);
  if (random.chance(1, 2)) plan.log_bytes = small_log_bytes;
  if (random.chance(2, 3)) plan.work_step = work_steps[random.below(work_steps.size())];
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  return plan;
}

std::string to_string(const Fault& fault) {
  std::string text = "tick " + std::to_string(fault.at) + ": " + std::string(info(fault.kind).name);
  const std::string_view of = info(fault.kind).of;
  if (!of.empty()) text += " of " + std::string(of) + ' ' + std::to_string(fault.who);
  if (fault.kind == Type::crash) text += " after " + std::to_string(fault.operations) + " operations of the disk";
  if (fault.ticks > 1) text += " for " + std::to_string(fault.ticks) + " ticks";
  if (fault.by != 0) text += " by " + std::to_string(fault.by / core::millisecond) + " ms";
  const transport::NetworkConditions& network = fault.network;
  if (fault.kind == Type::network)
    text += ": latency " + std::to_string(network.latency / core::millisecond) + " ms, jitter " +
            std::to_string(network.jitter / core::millisecond) + " ms, loss " +
            std::to_string(network.loss_ppm / 10'000) + "%, corrupt " + std::to_string(network.corrupt_ppm / 10'000) +
            "%, bursts " + std::to_string(network.burst_ppm / 10'000) + "%";
  return text;
}

std::string list_faults(const Plan& plan) {
  std::string text = "\n";
  for (const Fault& fault : plan.faults) text += "  " + to_string(fault) + "\n";
  return text;
}

std::string to_string(const Plan& plan) {
  if (plan.zones > 0)
    return "seed " + std::to_string(plan.seed) + ": " + std::to_string(plan.ticks) + " ticks, " +
           std::to_string(plan.zones) + " zones on " + std::to_string(plan.nodes) + " nodes, " +
           std::to_string(plan.players) + " players, " + std::to_string(plan.entities) +
           " entities, a checkpoint each " + std::to_string(plan.checkpoint_ticks) + " ticks" + list_faults(plan);
  return "seed " + std::to_string(plan.seed) + ": " + std::to_string(plan.ticks) + " ticks, " +
         std::to_string(plan.players) + " players, " + std::to_string(plan.entities) + " entities, up to " +
         std::to_string(plan.changes_max) + " changes in a tick, " + std::to_string(plan.unauthenticated_peers) +
         " unauthenticated peers, " + std::to_string(plan.hostile_clients) + " hostile clients, " +
         (plan.hides ? "layers and rooms" : "everything visible") + (plan.has_level ? ", a level" : "") +
         (plan.has_large ? ", entities larger than a datagram" : "") + (plan.predicts ? ", predicted Transforms" : "") +
         (plan.has_rules ? ", rules" : "") + (plan.rewinds ? ", rewound views" : "") +
         (plan.keeps_levels ? " that clients keep" : "") + (plan.spectates ? ", a spectator" : "") + ", room for " +
         std::to_string(plan.players_max) + (plan.refuses_second ? ", second log-ins refused" : "") + ", history " +
         std::to_string(plan.history_bytes) + " bytes, deltas " + std::to_string(plan.delta_bytes) +
         " bytes, a checkpoint each " + std::to_string(plan.checkpoint_ticks) + " ticks, a log of " +
         std::to_string(plan.log_bytes) + " bytes, " + std::to_string(plan.work_step / core::microsecond) +
         " us of work between two newcomers" + list_faults(plan);
}

}  // namespace mobula::sim

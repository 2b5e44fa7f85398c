#include <algorithm>
#include <array>
#include <mobula/core/assert.hpp>
#include <mobula/core/random.hpp>
#include <simulation/plan.hpp>

namespace mobula::sim {
namespace {

using Kind = Fault::Kind;

struct KindInfo {
  Kind kind;
  std::string_view name;
  std::uint32_t per_1000_ticks;  // in a plan that has it
  std::uint32_t ticks_max;       // that it lasts
};
constexpr std::array kinds{
    KindInfo{Kind::network, "network", 6, 200},
    KindInfo{Kind::cut, "cut", 6, 300},
    KindInfo{Kind::deaf, "deaf", 4, 100},
    KindInfo{Kind::silent, "silent", 4, 100},
    KindInfo{Kind::mute, "mute", 6, 200},
    KindInfo{Kind::clock_jump, "clock jump", 3, 1},
    KindInfo{Kind::clock_drift, "clock drift", 3, 400},
    KindInfo{Kind::broken, "broken", 8, 1},
    KindInfo{Kind::full, "full", 4, 100},
    KindInfo{Kind::reload, "reload", 1, 1},
    KindInfo{Kind::crash, "crash", 2, 1},
    KindInfo{Kind::stop, "stop", 1, 1},
};

struct ScenarioInfo {
  Scenario scenario;
  std::vector<Kind> faults;
  bool hostile;
};
const std::vector<ScenarioInfo>& table() {
  static const std::vector<ScenarioInfo> all{
      {{"all", "everything that can go wrong"},
       {Kind::network, Kind::cut, Kind::deaf, Kind::silent, Kind::mute, Kind::clock_jump, Kind::clock_drift,
        Kind::broken, Kind::full, Kind::reload, Kind::crash, Kind::stop},
       true},
      {{"network", "loss, delay, partitions"}, {Kind::network, Kind::cut, Kind::deaf, Kind::silent}, false},
      {{"clients", "clients that stop, break off, and whose clocks are wrong"},
       {Kind::mute, Kind::broken, Kind::full, Kind::clock_jump, Kind::clock_drift},
       false},
      {{"restarts", "a server that is killed or stopped, and comes back from its store"},
       {Kind::crash, Kind::stop, Kind::reload},
       false},
      {{"hostile", "garbage, replays and tokens that are not one's own"}, {Kind::network}, true},
      {{"calm", "nothing but the world's own changes"}, {}, false},
  };
  return all;
}
const ScenarioInfo* find(std::string_view name) {
  const auto found = std::ranges::find_if(table(), [&](const auto& each) { return each.scenario.name == name; });
  return found == table().end() ? nullptr : &*found;
}

const KindInfo& info(Kind kind) {
  return *std::ranges::find_if(kinds, [&](const KindInfo& each) { return each.kind == kind; });
}

transport::NetworkConditions draw_network(core::Random& random, bool bad) {
  transport::NetworkConditions drawn{.latency = random.below(bad ? 400 : 80) * core::millisecond,
                                     .jitter = random.below(bad ? 200 : 40) * core::millisecond,
                                     .loss_ppm = random.below(bad ? 300'000 : 50'000),
                                     .duplicate_ppm = random.below(bad ? 200'000 : 20'000),
                                     .reorder_ppm = random.below(bad ? 200'000 : 50'000)};
  if (!bad) return drawn;
  if (random.chance(1, 4)) drawn.loss_ppm = 1'000'000;
  if (random.chance(1, 3)) drawn.corrupt_ppm = random.below(200'000);
  if (random.chance(1, 3)) {
    drawn.burst_ppm = random.below(50'000);
    drawn.burst_length = 1 + random.below(40);
  }
  if (random.chance(1, 4)) drawn.bandwidth_bytes_per_second = 4'000 + random.below(60'000);
  return drawn;
}

Fault draw_fault(core::Random& random, const KindInfo& kind, const Plan& plan) {
  Fault fault;
  fault.kind = kind.kind;
  fault.at = 20 + random.below(std::max(plan.ticks, 21u) - 20);
  fault.ticks = 1 + random.below(kind.ticks_max);
  fault.who = random.below(plan.players);
  if (kind.kind == Kind::network) fault.network = draw_network(random, true);
  if (kind.kind == Kind::clock_jump) fault.by = (1 + random.below(5'000)) * core::millisecond;
  if (kind.kind == Kind::clock_drift) fault.by = random.below(100) * core::millisecond;
  return fault;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> names;
    for (const ScenarioInfo& each : table()) names.push_back(each.scenario);
    return names;
  }();
  return all;
}

bool is_scenario(std::string_view name) { return find(name) != nullptr; }

Plan draw_plan(std::uint64_t seed, std::string_view scenario, const Size& size) {
  const ScenarioInfo* drawn = find(scenario);
  MOBULA_ASSERT(drawn != nullptr, "no such scenario");
  core::Random random(seed);
  Plan plan;
  plan.seed = seed;
  plan.ticks = size.ticks;
  plan.players = size.players;
  plan.entities = size.entities;
  plan.changes_max = 2 + random.below(40);
  plan.hides = random.chance(1, 2);
  plan.has_level = random.chance(1, 2);
  plan.history_bytes = random.chance(1, 4) ? 2048 : 1u << 20;
  plan.delta_bytes = random.chance(1, 4) ? 500 : 24 * 1024;
  plan.checkpoint_ticks = 5 + random.below(60);
  plan.hostiles = drawn->hostile ? 1 + random.below(3) : 0;
  if (!drawn->faults.empty()) plan.network = draw_network(random, false);
  for (const Kind kind : drawn->faults) {
    const KindInfo& one = info(kind);
    const std::uint64_t most = 2 * std::uint64_t{one.per_1000_ticks} * plan.ticks / 1000;
    for (std::uint32_t count = random.below(static_cast<std::uint32_t>(most) + 1); count > 0; --count)
      plan.faults.push_back(draw_fault(random, one, plan));
  }
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  return plan;
}

std::string to_string(const Fault& fault) {
  std::string text = "tick " + std::to_string(fault.at) + ": " + std::string(info(fault.kind).name);
  const bool of_all = fault.kind == Kind::network || fault.kind == Kind::reload || fault.kind == Kind::crash ||
                      fault.kind == Kind::stop;
  if (!of_all) text += " of player " + std::to_string(fault.who);
  if (fault.ticks > 1) text += " for " + std::to_string(fault.ticks) + " ticks";
  if (fault.by != 0) text += " by " + std::to_string(fault.by / core::millisecond) + " ms";
  const transport::NetworkConditions& network = fault.network;
  if (fault.kind == Kind::network)
    text += ": latency " + std::to_string(network.latency / core::millisecond) + " ms, jitter " +
            std::to_string(network.jitter / core::millisecond) + " ms, loss " +
            std::to_string(network.loss_ppm / 10'000) + "%, corrupt " + std::to_string(network.corrupt_ppm / 10'000) +
            "%, bursts " + std::to_string(network.burst_ppm / 10'000) + "%";
  return text;
}

std::string to_string(const Plan& plan) {
  std::string text = "seed " + std::to_string(plan.seed) + ": " + std::to_string(plan.ticks) + " ticks, " +
                     std::to_string(plan.players) + " players, " + std::to_string(plan.entities) + " entities, up to " +
                     std::to_string(plan.changes_max) + " changes in a tick, " + std::to_string(plan.hostiles) +
                     " hostile, " + (plan.hides ? "layers and rooms" : "everybody sees everything") +
                     (plan.has_level ? ", a level" : "") + ", history " + std::to_string(plan.history_bytes) +
                     " bytes, deltas " + std::to_string(plan.delta_bytes) + " bytes, a checkpoint each " +
                     std::to_string(plan.checkpoint_ticks) + " ticks\n";
  for (const Fault& fault : plan.faults) text += "  " + to_string(fault) + "\n";
  return text;
}

}  // namespace mobula::sim

// Times of the phases and systems of a tick.
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

json times_json(std::string_view name, const ecs::RunTimes& times) {
  const double mean = times.runs == 0 ? 0 : static_cast<double>(times.total_ns) / static_cast<double>(times.runs);
  return {{"name", name},
          {"runs", times.runs},
          {"last_seconds", core::in_seconds(times.last_ns)},
          {"mean_seconds", core::in_seconds(mean)},
          {"max_seconds", core::in_seconds(times.max_ns)}};
}

json system_json(const ecs::Registry& registry, const ecs::SystemInfo& system) {
  json reads = json::array();
  json writes = json::array();
  for (const ecs::Access& access : system.access)
    (access.writes ? writes : reads).push_back(registry.pool(access.pool).instance_name());
  json reply = times_json(system.name, system.times);
  reply["reads"] = std::move(reads);
  reply["writes"] = std::move(writes);
  return reply;
}

json phases_json(const ecs::Registry& registry, const ecs::Schedule& schedule) {
  json phases = json::array();
  for (const ecs::PhaseInfo& phase : schedule.phases()) {
    json systems = json::array();
    for (const ecs::SystemId system : phase.systems)
      systems.push_back(system_json(registry, schedule.systems()[system]));
    phases.push_back(times_json(phase.name, phase.times));
    phases.back()["systems"] = std::move(systems);
  }
  return phases;
}

}  // namespace

core::Result<json> read_systems(Inspection& world, const Request& /*request*/) {
  const TickLog& ticks = world.ticks();
  json tick_phases = json::array();
  for (std::size_t i = 0; i < tick_phase_count; ++i) {
    const auto phase = static_cast<TickPhase>(i);
    const core::Nanoseconds last = ticks.end() == 0 ? 0 : ticks.row(ticks.end() - 1).phases[i];
    tick_phases.push_back({{"name", to_string(phase)},
                           {"last_seconds", core::in_seconds(last)},
                           {"mean_seconds", core::in_seconds(ticks.phase(phase).mean())}});
  }
  return json{{"world", world.name()},
              {"tick", world.world().tick() - 1},
              {"tick_phases", std::move(tick_phases)},
              {"phases", phases_json(world.registry(), world.server().schedule())}};
}

std::vector<admin::Route> system_routes(const ApiPtr& api) {
  return {{"GET", "/api/systems", query_world(api, read_systems), {"world"}}};
}

}  // namespace mobula::server::api

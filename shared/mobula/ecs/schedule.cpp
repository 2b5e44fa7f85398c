#include <algorithm>
#include <mobula/core/clock.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/schedule.hpp>

namespace mobula::ecs {
namespace {

void note_run(RunTimes& times, std::int64_t ns) {
  ++times.runs;
  times.last_ns = ns;
  times.total_ns += ns;
  times.max_ns = std::max(times.max_ns, ns);
}

template <class Info>
bool is_named(const std::vector<Info>& infos, std::string_view name) {
  return std::any_of(infos.begin(), infos.end(), [name](const Info& info) { return info.name == name; });
}

void note_access(std::vector<Access>& all, Access access) {
  const auto place = std::lower_bound(all.begin(), all.end(), access,
                                      [](const Access& a, const Access& b) { return a.pool < b.pool; });
  if (place == all.end() || place->pool != access.pool) {
    all.insert(place, access);
  } else {
    place->writes = place->writes || access.writes;
  }
}

}  // namespace

Schedule::Schedule(Registry& registry) : Schedule(registry, core::monotonic_now) {}

Schedule::Schedule(Registry& registry, Clock clock)
    : registry_(&registry), clock_(std::move(clock)), commands_(registry) {}

PhaseId Schedule::add_phase(std::string_view name) {
  MOBULA_CHECK(!running_, "phase " + std::string(name) + " is added while systems run");
  MOBULA_CHECK(!is_named(phases_, name), "there is a phase " + std::string(name) + " already");
  phases_.push_back({std::string(name), {}, {}});
  return static_cast<PhaseId>(phases_.size() - 1);
}

SystemId Schedule::add_system(std::string_view name, PhaseId phase, std::span<const Access> access,
                              SystemFunction function) {
  MOBULA_CHECK(!running_, "system " + std::string(name) + " is added while systems run");
  MOBULA_CHECK(!is_named(systems_, name), "there is a system " + std::string(name) + " already");
  MOBULA_CHECK(phase < phases_.size(), "system " + std::string(name) + " names a phase that does not exist");
  SystemInfo info{std::string(name), phase, {}, {}};
  for (const Access& one : access) note_access(info.access, one);
  const auto system = static_cast<SystemId>(systems_.size());
  systems_.reserve(systems_.size() + 1);
  functions_.reserve(functions_.size() + 1);
  phases_[phase].systems.push_back(system);  // the last statement that may throw
  systems_.push_back(std::move(info));
  functions_.push_back(std::move(function));
  return system;
}

void Schedule::declare(SystemId system, Access access) {
  MOBULA_CHECK(system < systems_.size(), "there is no such system");
  MOBULA_CHECK(access.pool < registry_->pool_count(), "access is to a pool of the registry");
  note_access(systems_[system].access, access);
}

// Scope of one run of a phase, also if a system throws.
class Schedule::Run {
 public:
  explicit Run(Schedule& schedule) : schedule_(schedule) { schedule_.running_ = true; }
  ~Run() { schedule_.running_ = false; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  Schedule& schedule_;
};

void Schedule::run() {
  for (PhaseId phase = 0; phase < phases_.size(); ++phase) run_phase(phase);
}

void Schedule::run_system(SystemId system) {
  const core::LogScope about({.running = systems_[system].name});
  core::Undo undo([this] { commands_.clear(); });
  functions_[system]({*registry_, commands_, registry_->tick()});
  undo.dismiss();
  commands_.apply();
  registry_->check_spawned();
}

void Schedule::run_phase(PhaseId phase) {
  MOBULA_CHECK(!running_, "a system runs a phase");
  MOBULA_CHECK(phase < phases_.size(), "there is no such phase");
  const Run run(*this);
  commands_.apply();
  std::int64_t phase_ns = 0;
  std::int64_t begin = clock_();
  for (const SystemId system : phases_[phase].systems) {
    run_system(system);
    const std::int64_t end = clock_();
    note_run(systems_[system].times, end - begin);
    phase_ns += end - begin;
    begin = end;
  }
  note_run(phases_[phase].times, phase_ns);
}

}  // namespace mobula::ecs

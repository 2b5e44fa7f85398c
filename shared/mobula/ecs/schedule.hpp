// Systems: functions that move a world on, run in the order they were declared in, phase by phase.
//
// A system declares by types what it reads (`const T`) and writes (`T`), and is handed the entities that have it: an
// always-current list, after IceFall's rosters. The list is a view, which keeps nothing, or a group, which the
// registry keeps current in O(1) per change; it is made when the system is added and never rebuilt.
//
// While it walks, a system may change the composition of the entity it is given as far as iteration.hpp allows. All
// else goes through the context's commands, which are applied after each system: a system sees what those before it
// did. What is recorded outside of a run is applied when the next begins. If a system throws, what it has recorded is
// forgotten and the systems after it do not run.
//
// Invariant: every system is in the list of exactly one phase, and their names differ. Belongs to whoever runs the
// world's tick and must not outlive its registry; used by the registry's thread.
#pragma once

#include <array>
#include <functional>
#include <mobula/ecs/commands.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::ecs {

using PhaseId = std::uint32_t;   // in order of adding
using SystemId = std::uint32_t;  // in order of adding, over all phases

struct SystemContext {
  Registry& registry;
  Commands& commands;
  Tick tick;
};

// That a system touches components of a pool; without `writes` it only reads, or asks whether they are there.
struct Access {
  PoolId pool = 0;
  bool writes = false;

  bool operator==(const Access&) const = default;
};

struct RunTimes {
  std::uint64_t runs = 0;
  std::int64_t last_ns = 0;
  std::int64_t total_ns = 0;
  std::int64_t max_ns = 0;
};

struct SystemInfo {
  std::string name;
  PhaseId phase = 0;
  std::vector<Access> access;  // each pool once, by pool; empty: undeclared, which may be anything
  RunTimes times;              // with the applying of its commands
};

struct PhaseInfo {
  std::string name;
  std::vector<SystemId> systems;  // in the order they run in
  RunTimes times;                 // sums over its systems
};

class Schedule {
 public:
  // Nanoseconds of a monotonic clock.
  using Clock = std::function<std::int64_t()>;

  explicit Schedule(Registry& registry);
  Schedule(Registry& registry, Clock clock);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  // Names differ, and nothing is added while systems run: both assert.
  PhaseId add_phase(std::string_view name);

  // Called for each entity with all of Ts, as views have them: function([context,] [Entity,] components...).
  template <class... Ts, class... Excluded, class Function>
  SystemId add_each(std::string_view name, PhaseId phase, Exclude<Excluded...> excluded, Function function) {
    return add_system(name, phase, access_of<Ts...>(excluded),
                      [view = registry_->view<Ts...>(excluded), each = std::move(function)](
                          const SystemContext& context) mutable { call_each<Ts...>(view, context, each); });
  }
  template <class... Ts, class Function>
  SystemId add_each(std::string_view name, PhaseId phase, Function function) {
    return add_each<Ts...>(name, phase, exclude<>, std::move(function));
  }

  // Called once with all of them: function(context, View<Ts...>).
  template <class... Ts, class... Excluded, class Function>
  SystemId add(std::string_view name, PhaseId phase, Exclude<Excluded...> excluded, Function function) {
    return add_system(name, phase, access_of<Ts...>(excluded),
                      [view = registry_->view<Ts...>(excluded),
                       run = std::move(function)](const SystemContext& context) mutable { run(context, view); });
  }
  // Without Ts: function(context).
  template <class... Ts, class Function>
  SystemId add(std::string_view name, PhaseId phase, Function function) {
    if constexpr (sizeof...(Ts) == 0) {
      return add_system(name, phase, std::span<const Access>(), std::move(function));
    } else {
      return add<Ts...>(name, phase, exclude<>, std::move(function));
    }
  }

  // Called once with the group of them, which owns no pool: function(context, Group<Ts...>).
  template <class... Ts, class... Excluded, class Function>
  SystemId add_grouped(std::string_view name, PhaseId phase, Exclude<Excluded...> excluded, Function function) {
    return add_system(name, phase, access_of<Ts...>(excluded),
                      [group = registry_->group<>(with<Ts...>, excluded),
                       run = std::move(function)](const SystemContext& context) mutable { run(context, group); });
  }
  template <class... Ts, class Function>
  SystemId add_grouped(std::string_view name, PhaseId phase, Function function) {
    return add_grouped<Ts...>(name, phase, exclude<>, std::move(function));
  }

  // What a system touches beyond its list: through registry.get, or views of its own.
  template <class... Ts>
  void declare(SystemId system) {
    for (const Access& access : access_of<Ts...>(exclude<>)) declare(system, access);
  }
  void declare(SystemId system, Access access);

  // All phases, one after the other.
  void run();
  void run_phase(PhaseId phase);

  [[nodiscard]] std::span<const PhaseInfo> phases() const { return phases_; }
  [[nodiscard]] std::span<const SystemInfo> systems() const { return systems_; }
  // For listeners; systems have it in their context.
  [[nodiscard]] Commands& commands() { return commands_; }

 private:
  void run_system(SystemId system);
  using SystemFunction = std::function<void(const SystemContext&)>;
  class Run;

  template <class... Ts, class... Excluded>
  std::array<Access, sizeof...(Ts) + sizeof...(Excluded)> access_of(Exclude<Excluded...> /*excluded*/) {
    return {Access{registry_->pool_of<detail::PlainComponent<Ts>>(),
                   !std::is_const_v<typename detail::IteratedType<Ts>::Component>}...,
            Access{registry_->pool_of<Excluded>(), false}...};
  }

  template <class... Ts, class Function>
  static void call_each(const View<Ts...>& view, const SystemContext& context, Function& function) {
    if constexpr (std::is_invocable_v<Function&, const SystemContext&, Entity,
                                      typename detail::IteratedType<Ts>::Argument...>) {
      view.each([&](Entity entity, typename detail::IteratedType<Ts>::Argument... components) {
        function(context, entity, components...);
      });
    } else if constexpr (std::is_invocable_v<Function&, const SystemContext&,
                                             typename detail::IteratedType<Ts>::Argument...>) {
      view.each([&](typename detail::IteratedType<Ts>::Argument... components) { function(context, components...); });
    } else {
      view.each(function);
    }
  }

  SystemId add_system(std::string_view name, PhaseId phase, std::span<const Access> access, SystemFunction function);

  Registry* registry_;
  Clock clock_;
  Commands commands_;
  std::vector<PhaseInfo> phases_;
  std::vector<SystemInfo> systems_;
  std::vector<SystemFunction> functions_;  // by SystemId
  bool running_ = false;
};

}  // namespace mobula::ecs

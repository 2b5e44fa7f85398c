// Schedule: systems, functions that advance a world, run in order of declaration, phase by phase.
//
// A system declares by types what it reads (`const T`) and writes (`T`), and receives the entities that have them,
// after IceFall's rosters. The list is a view, which stores nothing, or a group, which the registry keeps current in
// O(1) per change. It is created with the system and never rebuilt.
//
// During iteration a system may change the composition of the entity it is given as far as iteration.hpp allows. Other
// changes go through the context's commands, which are applied after each system: a system sees the results of those
// before it. Commands recorded outside a run are applied at the start of the next one. If a system throws, its
// commands are discarded and the systems after it do not run.
//
// Invariant: every system is in the list of exactly one phase, and system names differ. Owned by the code that runs
// the world's tick; must not outlive its registry; used by the registry's thread.
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

/// Context of a system run.
struct SystemContext {
  Registry& registry;
  Commands& commands;
  Tick tick;
};

/// Declared access of a system to the components of a pool. Without `writes` it only reads them or tests for them.
struct Access {
  PoolId pool = 0;
  bool writes = false;

  bool operator==(const Access&) const = default;
};

/// Number of runs and their durations in nanoseconds.
struct RunTimes {
  std::uint64_t runs = 0;
  std::int64_t last_ns = 0;
  std::int64_t total_ns = 0;
  std::int64_t max_ns = 0;
};

/// Description of a system.
struct SystemInfo {
  std::string name;
  PhaseId phase = 0;
  std::vector<Access> access;  // each pool once, by pool; empty if undeclared: any access
  RunTimes times;              // including applying its commands
};

/// Description of a phase.
struct PhaseInfo {
  std::string name;
  std::vector<SystemId> systems;  // in run order
  RunTimes times;                 // sums over its systems
};

/// Systems in phases, and their run times.
class Schedule {
 public:
  /// Clock in nanoseconds, monotonic.
  using Clock = std::function<std::int64_t()>;

  /// Makes a schedule without phases. It measures with the process's monotonic clock.
  explicit Schedule(Registry& registry);
  /// Does the same with another clock, which is not empty.
  Schedule(Registry& registry, Clock clock);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  /// Leaves the entities of a pool out of the lists of all systems that are added afterwards, but for groups.
  void leave_out(PoolId pool) { left_out_ = pool; }

  /// Adds a phase. Checks that names differ and that no system is running.
  PhaseId add_phase(std::string_view name);

  /// Adds a system. Each form checks that names differ, that the phase exists and that no system is running. This one
  /// is called per entity with all of Ts: function([context,] [Entity,] components...).
  template <class... Ts, class... Excluded, class Function>
  SystemId add_each(std::string_view name, PhaseId phase, Exclude<Excluded...> excluded, Function function) {
    return add_system(name, phase, access_of<Ts...>(excluded),
                      [view = list<Ts...>(excluded), each = std::move(function)](const SystemContext& context) mutable {
                        call_each<Ts...>(view, context, each);
                      });
  }
  template <class... Ts, class Function>
  SystemId add_each(std::string_view name, PhaseId phase, Function function) {
    return add_each<Ts...>(name, phase, exclude<>, std::move(function));
  }

  /// Adds a system called once with the view: function(context, View<Ts...>).
  template <class... Ts, class... Excluded, class Function>
  SystemId add(std::string_view name, PhaseId phase, Exclude<Excluded...> excluded, Function function) {
    return add_system(name, phase, access_of<Ts...>(excluded),
                      [view = list<Ts...>(excluded), run = std::move(function)](const SystemContext& context) mutable {
                        run(context, view);
                      });
  }
  /// Adds a system called once; without Ts: function(context).
  template <class... Ts, class Function>
  SystemId add(std::string_view name, PhaseId phase, Function function) {
    if constexpr (sizeof...(Ts) == 0) {
      return add_system(name, phase, std::span<const Access>(), std::move(function));
    } else {
      return add<Ts...>(name, phase, exclude<>, std::move(function));
    }
  }

  /// Adds a system called once with a group that owns no pool: function(context, Group<Ts...>).
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

  /// Declares access beyond the system's list: through registry.get or views of its own.
  template <class... Ts>
  void declare(SystemId system) {
    for (const Access& access : access_of<Ts...>(exclude<>)) declare(system, access);
  }
  /// Declares access to one pool. Checks that system and pool exist.
  void declare(SystemId system, Access access);

  /// Runs all phases in order. Fails a check if a system calls it, as does run_phase().
  void run();
  /// Runs one phase, after the commands recorded since the last run. Checks that the phase exists.
  void run_phase(PhaseId phase);

  [[nodiscard]] std::span<const PhaseInfo> phases() const { return phases_; }
  [[nodiscard]] std::span<const SystemInfo> systems() const { return systems_; }
  /// Commands for listeners; systems use those of their context.
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

  template <class... Ts, class... Excluded>
  View<Ts...> list(Exclude<Excluded...> /*excluded*/) {
    std::array<PoolId, sizeof...(Excluded) + 1> out{registry_->pool_of<Excluded>()..., left_out_};
    const std::size_t count = out.size() - (left_out_ == no_pool ? 1 : 0);
    return registry_->view_of<Ts...>({registry_->pool_of<detail::PlainComponent<Ts>>()...},
                                     std::span<const PoolId>(out).first(count));
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
  PoolId left_out_ = no_pool;
  Commands commands_;
  std::vector<PhaseInfo> phases_;
  std::vector<SystemInfo> systems_;
  std::vector<SystemFunction> functions_;  // by SystemId
  bool running_ = false;
};

}  // namespace mobula::ecs

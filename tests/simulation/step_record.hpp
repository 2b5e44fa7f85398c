// Record of what the rules did at the server, tick by tick, and of what else changed the things that they move.
// Clients' predictions are compared with it.
#pragma once

#include <map>
#include <mobula/server/session/server.hpp>
#include <optional>
#include <set>
#include <simulation/sim_rules.hpp>
#include <vector>

namespace mobula::sim {

// Its memory does not count as the server's.
class StepRecord {
 public:
  using EffectName = std::pair<std::uint32_t, std::uint64_t>;  // name, key
  struct Tick {
    std::vector<RanPlay> plays;  // that the step received
    std::vector<EffectName> effects;
    std::set<ecs::Entity> touched;  // changed by something else than the step
    std::set<ecs::Entity> pushed;   // moved by shoves
    // Owners of such darts: their clients may have other handles for them.
    std::set<std::uint32_t> touched_of;
    std::set<std::uint32_t> pushed_of;
    bool touched_all = false;
    std::optional<core::ContentHash> level{};  // that the step read
  };

  // Called when a server starts. It numbers its ticks anew.
  void begin();
  // Calls from the game, in this order.
  void on_effect(const prediction::Effect& effect);
  void after_step(const server::World& world);
  // Something outside the tick may have changed everything.
  void touch_all() { touches_all_ = true; }
  // Called after each tick of the server.
  void after_tick(server::Server& server);

  // Returns null for a tick that is forgotten or has not ended.
  [[nodiscard]] const Tick* find(ecs::Tick tick) const;
  // Returns the tick in which the step emitted an effect; 0 if it has not. Each effect is emitted once.
  [[nodiscard]] ecs::Tick emitted_in(const EffectName& effect) const;
  // Returns whether the server has a puck at the end of the last tick.
  [[nodiscard]] bool has(ecs::Entity puck) const { return last_.contains(puck); }
  // Returns how many plays steps have received.
  [[nodiscard]] std::uint64_t plays() const { return plays_; }

 private:
  static constexpr ecs::Tick kept_ticks = 1024;

  // An entity that the rules move, and what they read of it.
  struct State {
    Puck puck{};
    int left = -1;  // the Dart's; -1 for other pucks
    int grip = -1;  // -1 without
    std::uint32_t owner = 0;
    engine::Vec3 velocity{};  // the demo's, which is predicted too; the rules do not write it
  };
  using States = std::map<ecs::Entity, State>;

  static States states_of(const ecs::Registry& registry);
  static bool is_same(const State& a, const State& b);
  void compare(const States& before, const States& stepped, const States& after, Tick& tick) const;
  static void touch(ecs::Entity entity, const State& state, Tick& tick);

  std::map<ecs::Tick, Tick> ticks_;
  std::map<EffectName, ecs::Tick> emitted_;
  Tick next_;       // the present tick
  States stepped_;  // after the step of this tick
  States last_;     // at the end of the last tick
  bool touches_all_ = false;
  std::uint64_t plays_ = 0;
};

}  // namespace mobula::sim

// The game of the simulator: anything may happen to any entity in any tick, and all of it goes on after a restart.
#pragma once

#include <map>
#include <mobula/reflect/value.hpp>
#include <server/upheaval.hpp>
#include <simulation/census.hpp>
#include <simulation/plan.hpp>

namespace mobula::sim {

class SimGame final : public test::UpheavalGame {
 public:
  // `run` counts the server's lives: each has chances of its own. The census is told who plays, and what they did.
  SimGame(const Plan& plan, std::uint32_t run, Census& census);

  core::Status start(server::World& world) override;
  core::Status load(server::World& world, core::ByteView saved) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  core::Status spectate(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  [[nodiscard]] const server::InterestRule* interest_rule() const override { return has_rule_ ? &rule_ : nullptr; }
  server::CommandTable commands() override;
  void tick(server::World& world) override;

  // What players say: the commands of each of their programs are numbered, for as long as the simulation lasts.
  // `x`: from 0 to 100, or no_move, which changes nothing.
  static core::Bytes move(float x, std::uint32_t program, std::uint32_t number) {
    return test::move_command(x + program_step * static_cast<float>(program), static_cast<float>(number));
  }
  static constexpr float no_move = 999;

  // What its events say. Reliable ones are numbered from 1, those for all, and those for each player; those about
  // entities and unreliable ones have numbers that rise.
  struct Event {
    enum class For : std::uint32_t { all, one, seers };

    std::uint32_t run = 0;
    std::uint32_t number = 0;
    For whom = For::all;
    std::uint32_t player = 0;  // of one
    std::uint32_t reliable = 0;
    ecs::Tick tick = 0;    // in which it was told
    ecs::Tick before = 0;  // in which the one before was; 0: there was none
  };
  // The last reliable one for all that was told; for a player.
  [[nodiscard]] const Event& last_for_all() const { return last_for_all_; }
  [[nodiscard]] const Event& last_for(std::uint32_t player) { return last_for_[player]; }

 private:
  static constexpr float program_step = 1000;

  void reparent(server::World& world);
  void dress(ecs::Registry& registry);
  void aim(server::World& world);
  void set_property(server::World& world);
  [[nodiscard]] reflect::Value any_value(const reflect::Field& field);
  void spawn(server::World& world);
  void hide(ecs::Registry& registry);
  void tell(server::World& world);
  void send(server::World& world, const server::Audience& audience, Event event);
  [[nodiscard]] ecs::Entity any_thing() { return things[random.below(static_cast<std::uint32_t>(things.size()))]; }

  std::uint64_t seed_;
  std::uint32_t entities_;
  std::uint32_t run_;
  Census& census_;
  bool has_rule_;
  // Each player lacks some entities, after a while others.
  struct Fog final : server::InterestRule {
    [[nodiscard]] bool may_see(const server::Viewer& viewer, ecs::Entity entity) const override {
      return (entity.index + viewer.player() + tick / 128) % 8 != 0;
    }
    ecs::Tick tick = 0;
  };
  Fog rule_;
  std::uint32_t other_events_ = 0;  // that were told
  Event last_for_all_;
  std::map<std::uint32_t, Event> last_for_;  // by player
};

}  // namespace mobula::sim

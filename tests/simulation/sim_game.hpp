// The game of the simulator: anything may happen to any entity in any tick, and all of it goes on after a restart.
#pragma once

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
  void leave(server::World& world, const server::Player& player) override;
  server::CommandTable commands() override;
  void tick(server::World& world) override;

  // What players say: their commands are numbered, for as long as the simulation lasts.
  static core::Bytes move(float x, std::uint32_t number) { return test::move_command(x, static_cast<float>(number)); }
  // One that changes nothing.
  static constexpr float no_move = -1;

  // What its events say: they are numbered from 1, and the reliable ones, too.
  struct Event {
    std::uint32_t run = 0;
    std::uint32_t number = 0;
    bool reliable = false;
    ecs::Tick before = 0;  // tick of the one before; 0: there was none
  };
  // The last reliable one that was told, and the tick in which it was.
  [[nodiscard]] std::uint32_t reliable_events() const { return reliable_events_; }
  [[nodiscard]] ecs::Tick last_reliable() const { return last_reliable_; }

 private:
  void reparent(server::World& world);
  void dress(ecs::Registry& registry);
  void aim(ecs::Registry& registry);
  void set_property(server::World& world);
  void spawn(server::World& world);
  void hide(ecs::Registry& registry);
  void tell(server::World& world);
  [[nodiscard]] ecs::Entity any_thing() { return things[random.below(static_cast<std::uint32_t>(things.size()))]; }

  std::uint64_t seed_;
  std::uint32_t entities_;
  std::uint32_t run_;
  Census& census_;
  std::uint32_t events_ = 0;  // that were told
  std::uint32_t reliable_events_ = 0;
  ecs::Tick last_reliable_ = 0;
};

}  // namespace mobula::sim

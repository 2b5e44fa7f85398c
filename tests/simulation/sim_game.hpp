// Game of the simulator: anything may happen to any entity in any tick, and all of it continues after a restart.
#pragma once

#include <map>
#include <mobula/reflect/value.hpp>
#include <server/upheaval.hpp>
#include <simulation/census.hpp>
#include <simulation/plan.hpp>

namespace mobula::sim {

// Returns the schema of a plan's world.
const std::shared_ptr<const reflect::Schema>& schema_of(const Plan& plan);

class SimGame final : public test::UpheavalGame {
 public:
  // `run` counts the server's starts: each has a random source of its own. `census` receives joins, leaves and
  // commands.
  SimGame(const Plan& plan, std::uint32_t run, Census& census);

  [[nodiscard]] core::ByteView schema() const override { return schema_->bytes(); }
  core::Status start(server::World& world) override;
  core::Status load(server::World& world, core::ByteView saved) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  core::Status spectate(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  void level_changed(server::World& world, const server::LevelChange& change) override;
  [[nodiscard]] const server::InterestRule* interest_rule() const override { return has_rule_ ? &rule_ : nullptr; }
  server::CommandTable commands() override;
  void tick(server::World& world) override;

  // Command of players. Commands are numbered per program for the whole simulation. `x`: 0 to 100, or no_move, which
  // changes nothing.
  static core::Bytes move(float x, std::uint32_t program, std::uint32_t number) {
    return test::move_command(x + program_step * static_cast<float>(program), static_cast<float>(number));
  }
  static constexpr float no_move = 999;

  // Content of events. Reliable ones for all, and for each player, are numbered from 1 without gaps. Numbers of
  // unreliable ones and those about entities only rise.
  struct Event {
    enum class For : std::uint32_t { all, one, seers };

    std::uint32_t run = 0;
    std::uint32_t number = 0;
    For whom = For::all;
    std::uint32_t player = 0;  // if whom is `one`
    std::uint32_t reliable = 0;
    ecs::Tick tick = 0;    // tick of sending
    ecs::Tick before = 0;  // tick of the previous one; 0 if there was none
  };
  // Returns the last reliable event sent to all, and to a player.
  [[nodiscard]] const Event& last_for_all() const { return last_for_all_; }
  [[nodiscard]] const Event& last_for(std::uint32_t player) { return last_for_[player]; }

 private:
  static constexpr float program_step = 1000;

  void drift(ecs::Registry& registry);
  void reparent(server::World& world);
  void teleport(server::World& world);
  void dress(ecs::Registry& registry);
  void haul(ecs::Registry& registry);
  void aim(server::World& world);
  void set_property(server::World& world);
  [[nodiscard]] reflect::Value any_value(const reflect::Field& field);
  void spawn(server::World& world);
  void hide(ecs::Registry& registry);
  [[nodiscard]] ecs::Entity make_avatar(server::World& world, std::uint32_t player);
  void replace_avatar(server::World& world);
  void send_events(server::World& world);
  void send(server::World& world, const server::Audience& audience, Event event);
  [[nodiscard]] ecs::Entity any_thing() { return things[random.below(static_cast<std::uint32_t>(things.size()))]; }

  std::uint64_t seed_;
  std::uint32_t entities_;
  std::uint32_t run_;
  Census& census_;
  bool has_rule_;
  bool has_large_;
  std::shared_ptr<const reflect::Schema> schema_;
  // Hides some entities from each player, and others after a while.
  struct Fog final : server::InterestRule {
    [[nodiscard]] bool may_see(const server::Viewer& viewer, ecs::Entity entity) const override {
      return (entity.index + viewer.player() + tick / 128) % 8 != 0;
    }
    ecs::Tick tick = 0;
  };
  Fog rule_;
  std::uint32_t other_events_ = 0;  // number of these sent
  Event last_for_all_;
  std::map<std::uint32_t, Event> last_for_;  // by player
};

}  // namespace mobula::sim

// Game of the simulator: anything may happen to any entity in any tick, and all of it continues after a restart.
#pragma once

#include <map>
#include <mobula/reflect/value.hpp>
#include <server/upheaval.hpp>
#include <simulation/census.hpp>
#include <simulation/plan.hpp>
#include <simulation/rewind_oracle.hpp>
#include <simulation/step_record.hpp>

namespace mobula::sim {

// Returns the schema of a plan's world.
const std::shared_ptr<const reflect::Schema>& schema_of(const Plan& plan);

class SimGame final : public test::UpheavalGame {
 public:
  // Those who watch the game.
  struct Watchers {
    Census& census;  // joins, leaves and commands
    StepRecord& steps;
    RewindOracle& views;
  };
  // `run` counts the server's starts: each has a random source of its own.
  SimGame(const Plan& plan, std::uint32_t run, const Watchers& watchers);

  [[nodiscard]] core::ByteView schema() const override { return schema_->bytes(); }
  core::Status start(server::World& world) override;
  core::Status load(server::World& world, core::ByteView saved) override;
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override;
  core::Status spectate(server::World& world, const server::Player& player) override;
  void leave(server::World& world, const server::Player& player) override;
  void level_changed(server::World& world, const server::LevelChange& change) override;
  [[nodiscard]] const server::InterestRule* interest_rule() const override { return has_rule_ ? &rule_ : nullptr; }
  server::CommandTable commands() override;
  [[nodiscard]] const prediction::Rules* rules() const override { return has_rules_ ? &sim_rules() : nullptr; }
  [[nodiscard]] std::optional<server::RewindConfig> rewind() const override;
  void effect(server::World& world, const prediction::Effect& effect) override;
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

  core::Result<ecs::Entity> admit(server::World& world, const server::Player& player);
  void add_puck(ecs::Registry& registry, ecs::Entity entity) const;
  void disturb_pucks(ecs::Registry& registry);
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
  StepRecord& steps_;
  RewindOracle& views_;
  bool has_rule_;
  bool has_large_;
  bool has_rules_;
  bool rewinds_;
  std::shared_ptr<const reflect::Schema> schema_;
  // Hides some entities from each player, and others after a while. Players see their darts: what they predict would
  // not come true.
  struct Fog final : server::InterestRule {
    [[nodiscard]] bool may_see(const server::Viewer& viewer, ecs::Entity entity) const override {
      const bool is_dart = registry != nullptr && registry->try_get<const Dart>(entity) != nullptr;
      return is_dart || (entity.index + viewer.player() + tick / 128) % 8 != 0;
    }
    ecs::Tick tick = 0;
    const ecs::Registry* registry = nullptr;  // null without darts
  };
  Fog rule_;
  std::map<std::uint32_t, server::Player> players_;  // all who joined, by number
  std::uint32_t other_events_ = 0;                   // number of these sent
  Event last_for_all_;
  std::map<std::uint32_t, Event> last_for_;  // by player
};

}  // namespace mobula::sim

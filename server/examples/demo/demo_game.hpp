// Demo game: mobs wander and hunt, pickups are taken and respawn. Players walk as avatars, throw stones and tag each
// other; their clients predict what the rules in examples/demo/rules do. Scenery is seen from
// farthest, then creatures, then pickups. An inventory is sent to its player only. Players that see a pickup are
// notified when it is taken. The server knows only the Game interface, so any team's game can be structured like this.
#pragma once

#include <examples/demo/pickups.hpp>
#include <mobula/server/game/game.hpp>

namespace demo {

class DemoGame final : public mobula::server::Game {
 public:
  [[nodiscard]] mobula::core::ByteView schema() const override;
  mobula::server::CommandTable commands() override;
  [[nodiscard]] const mobula::prediction::Rules* rules() const override;
  [[nodiscard]] std::vector<mobula::server::Layer> layers() const override;
  [[nodiscard]] std::optional<mobula::server::RewindConfig> rewind() const override;
  mobula::core::Status check_level(const mobula::resource::Resource* level) override;
  mobula::core::Status start(mobula::server::World& world) override;
  mobula::core::Status load(mobula::server::World& world, mobula::core::ByteView saved) override;
  mobula::core::Bytes save(const mobula::server::World& world) override;
  void level_changed(mobula::server::World& world, const mobula::server::LevelChange& change) override;
  void systems(mobula::server::World& world, mobula::ecs::Schedule& schedule) override;
  mobula::core::Result<mobula::ecs::Entity> join(mobula::server::World& world,
                                                 const mobula::server::Player& player) override;
  mobula::core::Status spectate(mobula::server::World& world, const mobula::server::Player& player) override;
  void leave(mobula::server::World& world, const mobula::server::Player& player) override;
  void step_spawned(mobula::server::World& world, mobula::ecs::Entity entity, std::uint32_t player) override;
  void tick(mobula::server::World& world) override;
  void receive(mobula::server::World& world, mobula::ecs::Entity entity, mobula::core::ByteView message) override;
  void effect(mobula::server::World& world, const mobula::prediction::Effect& effect) override;

 private:
  Pickups pickups_;
};

}  // namespace demo

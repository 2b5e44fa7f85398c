// The demo: mobs wander and hunt, pickups are taken and come back, players walk about as avatars.
// Scenery is seen from farther than creatures, and these than pickups; an inventory is for its player alone, and who
// sees a pickup that is taken is told.
// Nothing here is known to the server but the Game interface; any team's game stands like this.
#pragma once

#include <examples/demo/pickups.hpp>
#include <mobula/server/game/game.hpp>

namespace demo {

class DemoGame final : public mobula::server::Game {
 public:
  [[nodiscard]] mobula::core::ByteView schema() const override;
  mobula::server::CommandTable commands() override;
  [[nodiscard]] std::vector<mobula::server::Layer> layers() const override;
  mobula::core::Status check_level(const mobula::resource::Resource* level) override;
  mobula::core::Status start(mobula::server::World& world) override;
  mobula::core::Status load(mobula::server::World& world, mobula::core::ByteView saved) override;
  mobula::core::Bytes save(const mobula::server::World& world) override;
  void systems(mobula::server::World& world, mobula::ecs::Schedule& schedule) override;
  mobula::core::Result<mobula::ecs::Entity> join(mobula::server::World& world,
                                                 const mobula::server::Player& player) override;
  mobula::core::Status spectate(mobula::server::World& world, const mobula::server::Player& player) override;
  void leave(mobula::server::World& world, const mobula::server::Player& player) override;

 private:
  Pickups pickups_;
};

}  // namespace demo

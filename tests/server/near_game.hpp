// A game whose players see 50 m far.
#pragma once

#include <functional>
#include <server/tiny_game.hpp>
#include <utility>
#include <vector>

namespace mobula::test {

class NearGame : public TinyGame {
 public:
  [[nodiscard]] std::vector<server::Layer> layers() const override { return {{"near", 50}}; }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    const core::Result<ecs::Entity> entity = TinyGame::join(world, player);
    world.registry().add<engine::Transform>(*entity);
    return entity;
  }
  void tick(server::World& world) override {
    if (const auto what = std::exchange(once, nullptr)) what(world);
  }

  std::function<void(server::World&)> once;  // in the next tick
};

}  // namespace mobula::test

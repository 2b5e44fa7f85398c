// A game of ships whose positions and rotations follow courses.
#pragma once

#include <array>
#include <functional>
#include <mobula/core/bytes.hpp>
#include <mobula/server/game/game.hpp>
#include <reflect/compile_schema.hpp>
#include <vector>

namespace mobula::test {

struct Ship {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{0, 0, 0, 1};
  float aim = 0;
};

class FleetGame : public server::Game {
 public:
  static constexpr double tolerance = 0.005;
  static constexpr double step = 0.002;

  explicit FleetGame(std::size_t count) : ships(count) {}

  [[nodiscard]] core::ByteView schema() const override { return schema_; }
  core::Status start(server::World& world) override {
    ecs::Registry& registry = world.registry();
    pool = registry.open_pool(core::StringId32("Ship"), "Ship").value();
    for (ecs::Entity& ship : ships) {
      ship = registry.create();
      registry.add_bytes(ship, pool);
    }
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& /*world*/, const server::Player& /*player*/) override {
    return ecs::null_entity;
  }
  void leave(server::World& /*world*/, const server::Player& /*player*/) override {}
  void tick(server::World& world) override {
    if (!fly) return;
    for (std::size_t i = 0; i < ships.size(); ++i)
      if (world.registry().valid(ships[i]))
        core::store(world.registry().try_write(ships[i], pool), fly(i, world.tick()));
  }

  std::vector<ecs::Entity> ships;
  ecs::PoolId pool = ecs::no_pool;
  std::function<Ship(std::size_t ship, ecs::Tick tick)> fly;  // null while they stand

 private:
  core::Bytes schema_ = compile_schema(R"(
    struct Ship (component) {
      position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005");
      rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001");
      aim:float (range:"-512 512", step:"0.002", dead_reckoning:"0.005", predicted);
    }
  )");
};

}  // namespace mobula::test

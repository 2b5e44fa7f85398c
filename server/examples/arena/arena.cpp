#include <arena/components.hpp>
#include <cmath>
#include <mobula/schema/engine.hpp>
#include <mobula/server/host/application.hpp>

using namespace mobula;

struct Speed {  // a server-only component: any C++ type, never sent or saved
  float x, z;
};

class Arena final : public server::Game {
  core::ByteView schema() const override { return arena::schema_bytes(); }

  core::Result<ecs::Entity> join(server::World& world, const server::Player&) override {
    ecs::Registry& registry = world.registry();
    const ecs::Entity ball = registry.create();
    registry.add<engine::Transform>(ball);
    registry.add<arena::Ball>(ball, {.colour = world.random().below(1 << 24)});
    registry.add<Speed>(ball, {world.random().uniform(-5, 5), world.random().uniform(-5, 5)});
    return ball;
  }

  void leave(server::World& world, const server::Player& player) override { world.registry().destroy(player.entity); }

  void tick(server::World& world) override {
    const float dt = world.seconds_per_tick();
    world.registry().view<engine::Transform, Speed>().each(
        [&](ecs::Entity entity, engine::Transform& transform, Speed& speed) {
          transform.position.x += speed.x * dt;
          transform.position.z += speed.z * dt;
          if (std::abs(transform.position.x) < 10 && std::abs(transform.position.z) < 10) return;
          speed = {-transform.position.x / 2, -transform.position.z / 2};
          ++world.registry().get<arena::Ball>(entity).bounces;
        });
  }
};

int main(int argc, char** argv) {
  Arena game;
  return server::run(argc, argv, game);
}

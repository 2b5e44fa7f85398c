#include <arena/components.hpp>
#include <cmath>
#include <mobula/server.hpp>

using namespace mobula;

struct Speed {  // a server-only component: any C++ type, never sent or saved
  float x, z;
};

class Arena final : public Game {
  ByteView schema() const override { return arena::schema_bytes(); }

  Result<Entity> join(World& world, const Player& player) override {
    return world.create(Transform{}, arena::Ball{.colour = player.id * 0x9e3779 & 0xffffff},
                        Speed{world.random(-5, 5), world.random(-5, 5)});
  }

  void leave(World& world, const Player& player) override { world.destroy(player.entity); }

  void tick(World& world) override {
    const float dt = world.seconds_per_tick();
    world.each<Transform, Speed, arena::Ball>([&](Transform& transform, Speed& speed, arena::Ball& ball) {
      transform.position.x += speed.x * dt;
      transform.position.z += speed.z * dt;
      if (std::abs(transform.position.x) < 10 && std::abs(transform.position.z) < 10) return;
      speed = {-transform.position.x / 2, -transform.position.z / 2};
      ++ball.bounces;
    });
  }
};

int main(int argc, char** argv) {
  Arena game;
  return run(argc, argv, game);
}

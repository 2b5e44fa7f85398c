#include <mobula/schema/orchard_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <mobula/server.hpp>
#include <orchard/components.hpp>

using namespace mobula;

constexpr float metres_per_second = 4;
constexpr float reach = 1;

struct Heading {  // a server-only component
  float x, z;
};

float distance(const Transform& a, const Transform& b) {
  return std::hypot(a.position.x - b.position.x, a.position.z - b.position.z);
}

class Orchard final : public Game {
  ByteView schema() const override { return orchard::schema_bytes(); }

  Status check_level(const resource::Resource* level) override {
    if (level == nullptr || level->find_prefab(core::StringId32("gatherer")) == nullptr)
      return Error{"no gatherer", "the orchard needs a level with a prefab 'gatherer': give --level orchard.level"};
    return Done{};
  }

  Result<Entity> join(World& world, const Player& player) override {
    Result<Entity> gatherer = player.entity ? player.entity : world.spawn("gatherer");
    if (gatherer) world.registry().add<Heading>(*gatherer);
    return gatherer;
  }

  void leave(World& world, const Player& player) override { world.destroy(player.entity); }

  CommandTable commands() override {
    Commands<orchard::commands::Command, orchard::commands::BodyTraits> all;
    all.add<orchard::commands::Move>(move);
    return all.table();
  }

  static Status move(World& world, const Player& player, const orchard::commands::Move& move, const CommandContext&) {
    if (!(std::hypot(move.x(), move.z()) <= 1.001f))  // also refuses what is not a number
      return Error{"move out of range", "a direction has a length of at most 1"};
    world.registry().get<Heading>(player.entity) = {move.x(), move.z()};
    return Done{};
  }

  void tick(World& world) override {
    const float step = metres_per_second * world.seconds_per_tick();
    world.each<Transform, const Heading>([&](Transform& transform, const Heading& heading) {
      transform.position.x = std::clamp(transform.position.x + heading.x * step, -20.0f, 20.0f);
      transform.position.z = std::clamp(transform.position.z + heading.z * step, -20.0f, 20.0f);
    });
    world.each<const orchard::Apple, Transform>([&](Entity entity, const orchard::Apple& apple, Transform& at) {
      bool picked = false;
      world.each<orchard::Gatherer, const Transform>([&](orchard::Gatherer& gatherer, const Transform& from) {
        if (picked || distance(at, from) > reach) return;
        picked = true;
        gatherer.points += apple.points;
      });
      if (!picked) return;
      at.position = {world.random(-20, 20), 0, world.random(-20, 20)};  // it grows again elsewhere,
      world.cut(entity);                                                // and no client shows a flight
    });
  }
};

int main(int argc, char** argv) {
  Orchard game;
  return run(argc, argv, game);
}

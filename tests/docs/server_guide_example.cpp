// Code of docs/server-guide.md that no program of the tree has. It is compiled, and never run.
#include <mobula/schema/demo_events_generated.h>

#include <mobula/server.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <my/monsters.hpp>  // my::Monster, my::Mood, and my::schema_bytes()
#include <vector>

using namespace mobula;

namespace arena {
struct Ball {
  std::uint32_t bounces = 0;
};
}  // namespace arena

namespace server_guide {

namespace events = demo::events;

struct Speed {
  float x;
};
struct Hunts {
  Entity prey;
};
struct Shoot {};

engine::Vec3 muzzle(const Player& player);
engine::Vec3 checked(const Shoot& shot);
void wound(World& world, Entity entity);

void replace_avatar(World& world, std::uint32_t id) {
  world.destroy(world.player_entity(id));
  const Result<Entity> fresh = world.create(Transform{}, arena::Ball{}, Relevance{.owner = id});
  if (fresh) world.set_player_entity(id, *fresh);
}

Status pickup_taken(World& world, const events::Handle& by, std::uint8_t kind, std::uint16_t amount, Entity pickup) {
  flatbuffers::FlatBufferBuilder builder;
  const auto body = events::CreatePickupTaken(builder, &by, kind, amount);
  builder.Finish(events::CreateEvent(builder, events::Body::PickupTaken, body.Union()));
  const Status sent = world.events().send(core::as_bytes(builder.GetBufferPointer(), builder.GetSize()),
                                          Audience::seers_of(pickup), Reliability::reliable);
  return sent;
}

void remove_player(World& world, const Player& player) {
  world.kick(player.id, "idle for ten minutes");
  world.ban(player.id, "cheating", 86'400);  // seconds; 0 means for ever
}

Status lure(World& world, Entity monster, Entity prey) {
  return world.messages().send(monster, core::as_bytes(&prey, 1));
}

class Monsters : public Game {
 public:
  ByteView schema() const override { return my::schema_bytes(); }

  std::optional<server::RewindConfig> rewind() const override {
    return server::RewindConfig{.components = {"Transform", "Parent", "Stance"}};
  }

  core::Status shoot(World& world, const Player& player, const Shoot& shot, const CommandContext& context) {
    core::Result<server::Rewound> past = world.rewind().view(player.id, context);
    if (!past) return past.error();
    const server::Ray ray{.origin = muzzle(player), .direction = checked(shot), .length = 200};
    const auto shape = [&](Entity entity) -> std::optional<server::HitShape> {
      if (!world.registry().valid(entity)) return std::nullopt;  // the shooter still saw it
      return server::HitShape{.centre = {.x = 0, .y = 0.9f, .z = 0}, .half = {.x = 0.3f, .y = 0.9f, .z = 0.3f}};
    };
    if (const std::optional<server::Rewound::Hit> hit = past->ray(ray, 1.5f, shape)) wound(world, hit->entity);
    return Done{};
  }

  void systems(World& world, ecs::Schedule& schedule) override {
    const ecs::PhaseId movement = schedule.add_phase("movement");
    schedule.add_each<Transform, const Speed>("move", movement, [&world](Transform& transform, const Speed& speed) {
      transform.position.x += speed.x * world.seconds_per_tick();
    });
    schedule.add("respawn", movement, [this, &world](const ecs::SystemContext&) { respawn(world); });
  }

  void level_changed(World& world, const LevelChange& change) override {
    for (Entity& each : remembered_) each = change.follow(each);
    world.each<Hunts>([&](Hunts& hunts) { hunts.prey = change.follow(hunts.prey); });
  }

  void receive(World& world, Entity entity, ByteView message) override {
    auto* const hunts = world.registry().try_get<Hunts>(entity);
    if (hunts != nullptr && message.size() == sizeof(Entity)) hunts->prey = core::load<Entity>(message.data());
  }

  std::uint32_t balls_max = 100;

 private:
  void respawn(World& world);

  std::vector<Entity> remembered_;
};

int start(int argc, char** argv, Monsters& game) {
  return run(argc, argv, game, {{"max_balls", &game.balls_max, "balls at a time", {.least = 1, .most = 1000}}});
}

}  // namespace server_guide

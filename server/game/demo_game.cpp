#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <mobula/core/log.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/demo_game.hpp>
#include <mobula/server/game/line.hpp>
#include <mobula/server/game/movement.hpp>
#include <mobula/server/game/sight.hpp>

namespace demo {
namespace {

using mobula::core::Error;
using mobula::ecs::Entity;
using mobula::server::Player;
using mobula::server::World;

constexpr float avatar_speed = 4.0f;  // metres per second

mobula::engine::Vec3 choose_spawn_position(World& world) {
  std::vector<mobula::engine::Vec3> places;
  world.registry().view<const SpawnPoint, const mobula::engine::Transform>().each(
      [&](Entity, const SpawnPoint&, const mobula::engine::Transform& transform) {
        places.push_back(transform.position);
      });
  mobula::engine::Vec3 place;
  if (!places.empty()) place = places[world.random().below(static_cast<std::uint32_t>(places.size()))];
  place.x += world.random().uniform(-2, 2);
  place.z += world.random().uniform(-2, 2);
  return place;
}

mobula::core::Status move(World& world, const Player& player, const commands::Move& move) {
  const float length_squared = move.x() * move.x() + move.z() * move.z();
  if (!std::isfinite(length_squared) || length_squared > 1.001f)
    return Error{"move out of range", "a direction has a length of at most 1"};
  auto* velocity = world.registry().try_get<Velocity>(player.entity);
  if (velocity == nullptr) return Error{"no avatar", "the player's avatar is gone"};
  velocity->linear.x = move.x() * avatar_speed;
  velocity->linear.z = move.z() * avatar_speed;
  return mobula::core::Done{};
}

}  // namespace

mobula::core::ByteView DemoGame::schema() const { return schema_bytes(); }

std::vector<mobula::server::Layer> DemoGame::layers() const { return sight_layers(); }

mobula::core::Status DemoGame::check_level(const mobula::resource::Resource* level) {
  for (const char* prefab : {"avatar", "coin", "medkit", "key"}) {
    if (level == nullptr || level->find_prefab(mobula::core::StringId32(prefab)) == nullptr)
      return Error{"unknown prefab",
                   mobula::core::format("the demo needs a level with a spawnable prefab \"{}\" (--level)", prefab)};
  }
  for (const mobula::resource::Static& each : level->statics())
    if (each.type == line_type && !Line::check(each.data))
      return Error{"bad line", "the level has a line that is none"};
  return mobula::core::Done{};
}

mobula::core::Status DemoGame::start(World& world) {
  std::uint32_t mobs = 0;
  std::uint32_t pickups = 0;
  world.registry().view<const Wander>().each([&](Entity, const Wander&) { ++mobs; });
  world.registry().view<const Pickup>().each([&](Entity, const Pickup&) { ++pickups; });
  mobula::core::log_info("demo", "{} entities, {} mobs and {} pickups among them", world.registry().entities().size(),
                         mobs, pickups);
  schedule_ = std::make_unique<mobula::ecs::Schedule>(world.registry());
  add_movement(*schedule_, world);
  pickups_.add_systems(*schedule_, world);
  add_sight(*schedule_, world);
  return mobula::core::Done{};
}

mobula::core::Result<Entity> DemoGame::join(World& world, const Player& player) {
  mobula::core::Result<Entity> avatar = world.spawn("avatar");
  if (!avatar) return avatar;
  mobula::ecs::Registry& registry = world.registry();
  registry.get<mobula::engine::Transform>(*avatar).position = choose_spawn_position(world);
  registry.get<Avatar>(*avatar).player = player.id;
  registry.add<mobula::server::Relevance>(*avatar) = {.layer = creatures, .owner = player.id};
  Name& name = registry.get<Name>(*avatar);
  name = Name{};
  std::copy_n(player.name.begin(), std::min(player.name.size(), name.text.size()),
              reinterpret_cast<char*>(name.text.data()));
  return avatar;
}

void DemoGame::leave(World& world, const Player& player) {
  if (world.registry().valid(player.entity)) world.destroy_tree(player.entity);
}

mobula::core::Status DemoGame::command(World& world, const Player& player, mobula::core::ByteView bytes,
                                       const mobula::server::CommandContext& /*context*/) {
  const mobula::core::Bytes aligned(bytes.begin(), bytes.end());
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(aligned.data()), aligned.size());
  if (!commands::VerifyCommandBuffer(verifier)) return Error{"malformed command", "not a verified demo command"};
  const commands::Command& command = *commands::GetCommand(aligned.data());
  if (command.body() == nullptr) return Error{"malformed command", "a command has a body"};
  switch (command.body_type()) {
    case commands::Body::Move: return move(world, player, *command.body_as_Move());
    case commands::Body::NONE: break;
  }
  return Error{"unknown command", "the demo does not know this command"};
}

void DemoGame::tick(World& /*world*/) { schedule_->run(); }

}  // namespace demo

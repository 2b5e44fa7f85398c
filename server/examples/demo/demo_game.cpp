#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <examples/demo/chat.hpp>
#include <examples/demo/demo_game.hpp>
#include <examples/demo/line.hpp>
#include <examples/demo/movement.hpp>
#include <examples/demo/poses.hpp>
#include <examples/demo/rules/obstacles.hpp>
#include <examples/demo/rules/rules.hpp>
#include <examples/demo/sight.hpp>
#include <examples/demo/stones.hpp>
#include <examples/demo/tag.hpp>
#include <mobula/core/log.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/commands.hpp>
#include <span>
#include <string_view>

namespace demo {
namespace {

using mobula::core::Error;
using mobula::ecs::Entity;
using mobula::server::Player;
using mobula::server::World;

mobula::engine::Vec3 choose_spawn_position(World& world) {
  std::vector<mobula::engine::Vec3> places;
  using mobula::hierarchy::WorldTransform;
  world.registry().view<const SpawnPoint, const WorldTransform>().each(
      [&](Entity, const SpawnPoint&, const WorldTransform& at) { places.push_back(at.position); });
  mobula::engine::Vec3 place;
  if (!places.empty()) place = places[world.random().below(static_cast<std::uint32_t>(places.size()))];
  place.x += world.random().uniform(-2, 2);
  place.z += world.random().uniform(-2, 2);
  return place;
}

// The avatar of a player who was here before has a Relevance already.
void own(mobula::ecs::Registry& registry, Entity avatar, const Player& player) {
  using mobula::server::Relevance;
  auto* relevance = registry.try_get<Relevance>(avatar);
  (relevance != nullptr ? *relevance : registry.add<Relevance>(avatar)) = {.layer = creatures, .owner = player.id};
}

// Checks of the commands that the step of the rules runs.

mobula::core::Status check_move(World& /*world*/, const Player& /*player*/, const commands::Move& move,
                                const mobula::server::CommandContext& /*context*/) {
  if (is_direction_to_move(move.x(), move.z())) return mobula::core::Done{};
  return Error{"move out of range", "a direction's length must be at most 1"};
}

mobula::core::Status check_walk_to(World& /*world*/, const Player& /*player*/, const commands::WalkTo& to,
                                   const mobula::server::CommandContext& /*context*/) {
  if (is_in_world(to.x(), to.z())) return mobula::core::Done{};
  return Error{"place out of range", "the place must be in the world"};
}

mobula::core::Status check_throw(World& /*world*/, const Player& /*player*/, const commands::Throw& aim,
                                 const mobula::server::CommandContext& /*context*/) {
  if (is_direction_to_aim({aim.x(), aim.y(), aim.z()})) return mobula::core::Done{};
  return Error{"aim out of range", "a direction's length must be more than 0 and at most 1"};
}

// An avatar of an old save or of another level may lack components that the rules need.
void complete(mobula::ecs::Registry& registry, Entity avatar) {
  if (registry.try_get<const Pose>(avatar) == nullptr) registry.add<Pose>(avatar);
  if (registry.try_get<const Walker>(avatar) == nullptr) registry.add<Walker>(avatar);
  if (registry.try_get<const Velocity>(avatar) == nullptr) registry.add<Velocity>(avatar);
}

// Prefabs that the game spawns, and the components it requires of them.
constexpr std::string_view of_avatar[] = {mobula::engine::Transform::component_name, Avatar::component_name,
                                          Name::component_name};
constexpr std::string_view of_pickup[] = {mobula::engine::Transform::component_name, Pickup::component_name};
constexpr struct {
  std::string_view prefab;
  std::span<const std::string_view> components;
} spawned[] = {{"avatar", of_avatar}, {"coin", of_pickup}, {"medkit", of_pickup}, {"key", of_pickup}};

mobula::core::Status check_prefab(const mobula::resource::Resource* level, std::string_view name,
                                  std::span<const std::string_view> components) {
  using mobula::core::StringId32;
  const mobula::resource::EntityResource* prefab = level != nullptr ? level->find_prefab(StringId32(name)) : nullptr;
  if (prefab == nullptr)
    return Error{"unknown prefab",
                 mobula::core::format("the demo needs a level with a spawnable prefab \"{}\" (--level)", name)};
  const std::span<const mobula::resource::ComponentKey> root = prefab->prototypes[prefab->prototype_of[0]];
  for (const std::string_view component : components) {
    const StringId32 id(component);
    if (std::ranges::find(root, mobula::resource::ComponentKey{id, id}) == root.end())
      return Error{"incomplete prefab",
                   mobula::core::format("the demo needs a level whose prefab \"{}\" has a component {} of that name",
                                        name, component)};
  }
  return mobula::core::Done{};
}

}  // namespace

mobula::core::ByteView DemoGame::schema() const { return schema_bytes(); }

mobula::server::CommandTable DemoGame::commands() {
  mobula::server::Commands<commands::Command, commands::BodyTraits> all;
  all.add_predicted<commands::Move>(check_move);
  all.add_predicted<commands::WalkTo>(check_walk_to);
  all.add_predicted<commands::Throw>(check_throw);
  all.add<commands::Tag>(tag, mobula::server::RateLimit{.per_second = 4, .burst = 4});
  all.add<commands::Chat>(chat, mobula::server::RateLimit{.per_second = 1, .burst = 4});
  return all.table();
}

const mobula::prediction::Rules* DemoGame::rules() const { return &demo::rules; }

std::vector<mobula::server::Layer> DemoGame::layers() const { return sight_layers(); }

// Ticks take 50 ms, so an honest view is several ticks behind its command on a long path.
std::optional<mobula::server::RewindConfig> DemoGame::rewind() const {
  return mobula::server::RewindConfig{.marks = {std::string(Avatar::component_name)},
                                      .window = 600 * mobula::core::millisecond,
                                      .view_age_max = 500 * mobula::core::millisecond};
}

mobula::core::Status DemoGame::check_level(const mobula::resource::Resource* level) {
  for (const auto& [name, components] : spawned)
    if (mobula::core::Status good = check_prefab(level, name, components); !good) return good;
  for (const mobula::resource::Static& each : level->statics()) {
    if (each.type == line_type && !Line::check(each.data)) return Error{"bad line", "the level has an invalid line"};
    if (each.type == obstacles_type && !Obstacles::check(each.data))
      return Error{"bad obstacles", "the level has invalid obstacles"};
  }
  return mobula::core::Done{};
}

mobula::core::Status DemoGame::start(World& world) {
  std::uint32_t mobs = 0;
  std::uint32_t pickups = 0;
  world.registry().view<const Wander>().each([&](Entity, const Wander&) { ++mobs; });
  world.registry().view<const Pickup>().each([&](Entity, const Pickup&) { ++pickups; });
  mobula::core::log_info("demo", "{} entities, {} mobs and {} pickups among them", world.registry().entities().size(),
                         mobs, pickups);
  return mobula::core::Done{};
}

mobula::core::Status DemoGame::load(World& world, mobula::core::ByteView saved) { return pickups_.load(world, saved); }

mobula::core::Bytes DemoGame::save(const World& world) { return pickups_.save(world); }

void DemoGame::level_changed(World& /*world*/, const mobula::server::LevelChange& change) {
  pickups_.on_level_changed(change);
}

void DemoGame::systems(World& world, mobula::ecs::Schedule& schedule) {
  add_movement(schedule, world);
  pickups_.add_systems(schedule, world);
  add_sight(schedule, world);
}

// After a restart a player finds the avatar as it was, but for its name, which a world's file may not have.
mobula::core::Result<Entity> DemoGame::join(World& world, const Player& player) {
  mobula::ecs::Registry& registry = world.registry();
  const bool has_avatar = registry.try_get<const Avatar>(player.entity) != nullptr;
  mobula::core::Result<Entity> avatar = has_avatar ? player.entity : world.spawn("avatar");
  if (!avatar) return avatar;
  if (!has_avatar) registry.get<mobula::engine::Transform>(*avatar).position = choose_spawn_position(world);
  registry.get<Avatar>(*avatar).player = player.id;
  own(registry, *avatar, player);
  complete(registry, *avatar);
  pose_as_placed(registry, *avatar);
  if (registry.try_get<const Name>(*avatar) == nullptr) registry.add<Name>(*avatar);
  Name& name = registry.get<Name>(*avatar);
  name = Name{};
  std::copy_n(player.name.begin(), std::min(player.name.size(), name.text.size()),
              reinterpret_cast<char*>(name.text.data()));
  return avatar;
}

// Spectators start at the spawn points of players.
mobula::core::Status DemoGame::spectate(World& world, const Player& player) {
  std::vector<Entity> places;
  world.registry().view<const SpawnPoint>().each([&](Entity place, const SpawnPoint&) { places.push_back(place); });
  places.resize(std::min(places.size(), mobula::server::Viewer::viewpoints_max));
  world.viewer(player.id).set_viewpoints(places);
  return mobula::core::Done{};
}

void DemoGame::leave(World& world, const Player& player) { world.destroy_tree(player.entity); }

void DemoGame::step_spawned(World& world, Entity entity, std::uint32_t /*player*/) { complete_stone(world, entity); }

void DemoGame::receive(World& world, Entity entity, mobula::core::ByteView message) {
  receive_tag(world, entity, message);
}

void DemoGame::tick(World& world) { show_poses(world); }

void DemoGame::effect(World& world, const mobula::prediction::Effect& effect) { send_effect(world, effect); }

}  // namespace demo

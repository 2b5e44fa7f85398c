#include <mobula/schema/demo_events_generated.h>
#include <mobula/schema/demo_save_generated.h>

#include <algorithm>
#include <cmath>
#include <examples/demo/pickups.hpp>
#include <mobula/core/log.hpp>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::ecs::exclude;
using mobula::engine::Transform;
using mobula::hierarchy::WorldTransform;
using mobula::server::Ghost;
using mobula::server::World;

constexpr float touch = 1.2f;  // metres
constexpr float respawn_seconds_max = 86'400;

// Spawnable prefab of each kind, in the order of PickupKind.
constexpr const char* prefab_of_kind[] = {"coin", "medkit", "key"};

// Checks the kind, because a world's file may contain any value.
bool is_kind(PickupKind kind) { return static_cast<std::size_t>(kind) < std::size(prefab_of_kind); }

mobula::ecs::Tick ticks_of(const World& world, float seconds) {
  return static_cast<mobula::ecs::Tick>(seconds * static_cast<float>(world.ticks_per_second()));
}

std::uint32_t milliseconds_of(const World& world, mobula::ecs::Tick ticks) {
  const std::uint64_t rate = world.ticks_per_second();
  return static_cast<std::uint32_t>((std::uint64_t{ticks} * 1000 + rate / 2) / rate);
}

// Returns the time until a saved pickup respawns, in ticks of this run.
mobula::ecs::Tick ticks_left(const World& world, const save::Due& due) {
  const mobula::ecs::Tick most = ticks_of(world, respawn_seconds_max);
  const flatbuffers::Optional<std::uint32_t> milliseconds = due.milliseconds();
  if (!milliseconds) return std::min(due.ticks(), most);
  const std::uint64_t ticks = (std::uint64_t{*milliseconds} * world.ticks_per_second() + 500) / 1000;
  return static_cast<mobula::ecs::Tick>(std::min<std::uint64_t>(ticks, most));
}

bool touches(const WorldTransform& a, const WorldTransform& b) {
  const float x = a.position.x - b.position.x;
  const float z = a.position.z - b.position.z;
  return x * x + z * z < touch * touch;
}

// Returns the living parent of an entity; null if there is none.
Entity parent_of(const mobula::ecs::Registry& registry, Entity entity) {
  const auto* const parent = registry.try_get<const mobula::engine::Parent>(entity);
  return parent != nullptr && registry.valid(parent->entity) ? Entity(parent->entity) : Entity{};
}

void reward(World& world, Entity avatar, const Pickup& pickup) {
  mobula::ecs::Registry& registry = world.registry();
  registry.get<Avatar>(avatar).score += pickup.amount;
  auto* inventory = registry.try_get<Inventory>(avatar);
  if (inventory != nullptr && inventory->item_count < inventory->items.size())
    inventory->items[inventory->item_count++] = static_cast<std::uint8_t>(pickup.kind);
}

// Reliable, because no other message contains the taker. If the tick has too many events, the pickup just vanishes.
void send_taken(World& world, Entity taken, Entity avatar, const Pickup& pickup) {
  using mobula::server::Audience;
  flatbuffers::FlatBufferBuilder builder(128);
  const events::Handle by(avatar.index, avatar.generation);
  const auto body = events::CreatePickupTaken(builder, &by, static_cast<std::uint8_t>(pickup.kind), pickup.amount);
  builder.Finish(events::CreateEvent(builder, events::Body::PickupTaken, body.Union()));
  static_cast<void>(world.events().send(mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize()),
                                        Audience::seers_of(taken), mobula::server::Reliability::reliable));
}

template <class At>
At from_place(const save::Place& place) {
  At at;
  at.position = {place.x(), place.y(), place.z()};
  at.rotation = {place.turn_x(), place.turn_y(), place.turn_z(), place.turn_w()};
  return at;
}

// A saved pickup is always one that load() accepts, whatever the values in the world are.
float number(float value) { return std::isfinite(value) ? value : 0; }

template <class At>
save::Place to_place(const At& at) {
  const float turn[] = {at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w};
  const bool is_turned = std::ranges::all_of(turn, [](float part) { return std::isfinite(part); });
  const mobula::engine::Quat rotation = is_turned ? at.rotation : mobula::engine::Quat{};
  return {number(at.position.x),
          number(at.position.y),
          number(at.position.z),
          rotation.x,
          rotation.y,
          rotation.z,
          rotation.w};
}

bool is_finite(const save::Place& place) {
  const float parts[] = {place.x(),      place.y(),      place.z(),     place.turn_x(),
                         place.turn_y(), place.turn_z(), place.turn_w()};
  return std::ranges::all_of(parts, [](float part) { return std::isfinite(part); });
}

}  // namespace

mobula::core::Bytes Pickups::save(const World& world) const {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<save::Due>> due;
  for (const Due& each : due_) {
    const save::Place place = to_place(each.place);
    const save::Place local = to_place(each.local);
    const save::Handle parent(each.parent.index, each.parent.generation);
    const mobula::ecs::Tick ticks = each.tick - std::min(each.tick, world.tick());
    due.push_back(save::CreateDue(builder, 0, static_cast<std::uint8_t>(each.pickup.kind), each.pickup.amount,
                                  number(each.pickup.respawn_seconds), &place, milliseconds_of(world, ticks),
                                  each.parent ? &parent : nullptr, each.parent ? &local : nullptr));
  }
  builder.Finish(save::CreateGame(builder, builder.CreateVector(due)));
  const mobula::core::ByteView bytes = mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

mobula::core::Status Pickups::load(const World& world, mobula::core::ByteView saved) {
  using mobula::core::Error;
  const mobula::core::Bytes aligned(saved.begin(), saved.end());
  const auto* data = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, aligned.size());
  if (!save::VerifyGameBuffer(verifier)) return Error{"bad save", "the demo's saved pickups are damaged"};
  std::vector<Due> due;
  const auto* all = save::GetGame(data)->due();
  for (flatbuffers::uoffset_t i = 0; all != nullptr && i < all->size(); ++i) {
    const save::Due& each = *all->Get(i);
    const bool attached = each.parent() != nullptr && each.local() != nullptr;
    if (!is_kind(static_cast<PickupKind>(each.kind())) || !is_finite(*each.place()) ||
        (attached && !is_finite(*each.local())) || !std::isfinite(each.respawn_seconds()))
      return Error{"bad save",
                   mobula::core::format("the demo's saved pickup {} has an invalid kind, place or respawn time", i)};
    const Pickup pickup{.kind = static_cast<PickupKind>(each.kind()),
                        .amount = each.amount(),
                        .respawn_seconds = each.respawn_seconds()};
    due.push_back({world.tick_after(ticks_left(world, each)), pickup, from_place<WorldTransform>(*each.place()),
                   attached ? Entity{each.parent()->index(), each.parent()->generation()} : Entity{},
                   attached ? from_place<Transform>(*each.local()) : Transform{}});
  }
  due_ = std::move(due);
  return mobula::core::Done{};
}

void Pickups::add_systems(mobula::ecs::Schedule& schedule, World& world) {
  using mobula::ecs::SystemContext;
  const mobula::ecs::PhaseId phase = schedule.add_phase("pickups");
  const auto taking = schedule.add("take", phase, [this, &world](const SystemContext&) { take(world); });
  schedule.declare<const Pickup, const Transform, const mobula::engine::Parent, WorldTransform, Avatar, Inventory>(
      taking);
  // Spawning may touch any component.
  schedule.add("respawn", phase, [this, &world](const SystemContext&) { respawn(world); });
}

void Pickups::take(World& world) {
  mobula::ecs::Registry& registry = world.registry();
  if (registry.pool<Avatar>().size() == 0) return;
  world.hierarchy().update();  // avatars, and what carries pickups, have moved in this tick
  struct Taker {
    Entity avatar;
    WorldTransform at;
  };
  std::vector<Taker> takers;
  registry.view<const Avatar, const WorldTransform>(exclude<Ghost>)
      .each([&](Entity avatar, const Avatar&, const WorldTransform& at) { takers.push_back({avatar, at}); });
  std::vector<Entity> taken;  // destroyed after the iteration, with their trees
  registry.view<const Pickup, const WorldTransform, const Transform>(exclude<Ghost>)
      .each([&](Entity entity, const Pickup& pickup, const WorldTransform& at, const Transform& local) {
        for (const Taker& taker : takers) {
          if (!touches(taker.at, at) || !is_kind(pickup.kind)) continue;
          const float seconds = std::min(std::max(0.0f, pickup.respawn_seconds), respawn_seconds_max);
          due_.push_back({world.tick_after(ticks_of(world, seconds)), pickup, at, parent_of(registry, entity), local});
          reward(world, taker.avatar, pickup);
          send_taken(world, entity, taker.avatar, pickup);
          taken.push_back(entity);
          return;
        }
      });
  for (const Entity entity : taken)
    if (registry.valid(entity)) world.destroy_tree(entity);  // one may be attached to another
}

void Pickups::respawn(World& world) {
  mobula::core::Status put = mobula::core::Done{};
  std::erase_if(due_, [&](const Due& due) {
    if (!put || due.tick > world.tick()) return false;
    put = put_back(world, due);
    return put.ok();
  });
  if (!put && !waits_for_room_)
    mobula::core::log_warn("demo", "{} taken pickups wait to respawn: {}", due_.size(), put.error().message);
  waits_for_room_ = !put;
}

// Returns the error of World::spawn, which changes nothing.
mobula::core::Status Pickups::put_back(World& world, const Due& due) {
  const mobula::core::Result<Entity> made = world.spawn(prefab_of_kind[static_cast<std::size_t>(due.pickup.kind)]);
  if (!made) return made.error();
  mobula::ecs::Registry& registry = world.registry();
  registry.get<Pickup>(*made) = due.pickup;
  const bool attached = registry.valid(due.parent) && world.hierarchy().set_parent(*made, due.parent).ok();
  registry.get<Transform>(*made) = attached ? due.local : Transform{due.place.position, due.place.rotation};
  return mobula::core::Done{};
}

void Pickups::on_level_changed(const mobula::server::LevelChange& change) {
  for (Due& due : due_) due.parent = change.follow(due.parent);
}

}  // namespace demo

#include <mobula/schema/demo_commands_generated.h>
#include <mobula/schema/demo_events_generated.h>

#include <examples/demo/rules/obstacles.hpp>
#include <examples/demo/rules/rules.hpp>
#include <examples/demo/tag.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/rewind/rewind.hpp>

namespace demo {
namespace {

using mobula::core::Error;
using mobula::ecs::Entity;
using mobula::engine::Vec3;
using mobula::hierarchy::WorldTransform;
using mobula::server::HitShape;
using mobula::server::Ray;
using mobula::server::Rewound;
using mobula::server::World;

constexpr HitShape avatar_shape{.centre = {0, avatar_height / 2, 0},
                                .half = {avatar_radius, avatar_height / 2, avatar_radius}};

// Returns the length of a ray up to the first obstacle.
float unblocked(World& world, const Vec3& from, const Vec3& direction) {
  const mobula::resource::Resource* const level = world.level();
  const mobula::resource::Static* const found = level == nullptr ? nullptr : level->find_static_of(obstacles_type);
  if (found == nullptr) return tag_range;
  const std::optional<SurfaceHit> hit = Obstacles(found->data).ray(from, direction, tag_range);
  return hit ? hit->distance : tag_range;
}

// Reliable, because a tag counts.
void send_tagged(World& world, Entity by, Entity avatar) {
  flatbuffers::FlatBufferBuilder builder(128);
  const events::Handle tagger(by.index, by.generation);
  const events::Handle tagged(avatar.index, avatar.generation);
  const auto body = events::CreateTagged(builder, &tagger, &tagged);
  builder.Finish(events::CreateEvent(builder, events::Body::Tagged, body.Union()));
  static_cast<void>(world.events().send(mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize()),
                                        mobula::server::Audience::seers_of(avatar),
                                        mobula::server::Reliability::reliable));
}

}  // namespace

mobula::core::Status tag(World& world, const mobula::server::Player& player, const commands::Tag& aim,
                         const mobula::server::CommandContext& context) {
  const Vec3 given{aim.x(), aim.y(), aim.z()};
  if (!is_direction_to_aim(given))
    return Error{"aim out of range", "a direction's length must be more than 0 and at most 1"};
  mobula::ecs::Registry& registry = world.registry();
  const auto* const at = registry.try_get<const WorldTransform>(player.entity);
  if (at == nullptr || registry.try_get<const Avatar>(player.entity) == nullptr)
    return Error{"no avatar", "the player's avatar was despawned"};
  mobula::core::Result<Rewound> past = world.rewind().view(player.id, context);
  if (!past) return past.error();
  Ray ray{.origin = at->position, .direction = unit(given)};
  ray.origin.y += aim_height;
  ray.length = unblocked(world, ray.origin, ray.direction);
  const auto shape = [&](Entity entity) -> std::optional<HitShape> {
    if (registry.try_get<const Avatar>(entity) == nullptr) return std::nullopt;  // also if it has despawned
    return avatar_shape;
  };
  const std::optional<Rewound::Hit> hit = past->ray(ray, avatar_shape.reach(), shape);
  if (!hit) return mobula::core::Done{};
  ++registry.get<Avatar>(player.entity).tags;
  // Its zone sends the event, to all that see it. A message is dropped if the tick has too many.
  static_cast<void>(world.messages().send(hit->entity, mobula::core::as_bytes(&player.entity, 1)));
  return mobula::core::Done{};
}

void receive_tag(World& world, Entity avatar, mobula::core::ByteView message) {
  if (message.size() != sizeof(Entity) || world.registry().try_get<const Avatar>(avatar) == nullptr) return;
  send_tagged(world, mobula::core::load<Entity>(message.data()), avatar);
}

}  // namespace demo

#include <mobula/schema/demo_events_generated.h>

#include <examples/demo/rules/rules.hpp>
#include <examples/demo/sight.hpp>
#include <examples/demo/stones.hpp>
#include <mobula/schema/components.hpp>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::prediction::Effect;
using mobula::server::Audience;
using mobula::server::World;

constexpr mobula::core::StringId32 stone_mesh("props/rock");

// Unreliable: a player that misses one sees the stone all the same.
template <class Body>
void send(World& world, flatbuffers::FlatBufferBuilder& builder, events::Body type, flatbuffers::Offset<Body> body,
          Entity about) {
  builder.Finish(events::CreateEvent(builder, type, body.Union()));
  static_cast<void>(world.events().send(mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize()),
                                        Audience::seers_of(about), mobula::server::Reliability::unreliable));
}

void send_thrown(World& world, const Effect& effect) {
  const auto avatar = mobula::core::load<Entity>(effect.payload.data());
  flatbuffers::FlatBufferBuilder builder(128);
  const events::Handle by(avatar.index, avatar.generation);
  send(world, builder, events::Body::StoneThrown, events::CreateStoneThrown(builder, &by), avatar);
}

void send_hit(World& world, const Effect& effect) {
  const auto impact = mobula::core::load<Impact>(effect.payload.data());
  flatbuffers::FlatBufferBuilder builder(128);
  const events::Handle stone(impact.stone.index, impact.stone.generation);
  const events::Place at(impact.place.x, impact.place.y, impact.place.z);
  send(world, builder, events::Body::StoneHit, events::CreateStoneHit(builder, &stone, &at), impact.stone);
}

}  // namespace

void complete_stone(World& world, Entity stone) {
  mobula::ecs::Registry& registry = world.registry();
  registry.get<mobula::server::Relevance>(stone).layer = creatures;
  const Pose pose = registry.get<const Pose>(stone);
  registry.add<mobula::engine::Transform>(stone, {pose.position, pose.rotation});
  registry.add<RenderData>(stone, RenderData{.mesh = stone_mesh}, registry.pool_of<RenderData>("Body"));
}

void send_effect(World& world, const Effect& effect) {
  if (effect.name == throw_effect) send_thrown(world, effect);
  if (effect.name == impact_effect) send_hit(world, effect);
}

}  // namespace demo

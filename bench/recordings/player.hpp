// Plays a recording through publisher, view and mirror of one client, and compares each entity in each frame.
#pragma once

#include <functional>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>

#include "recordings/play_report.hpp"
#include "recordings/recording.hpp"

namespace mobula::bench {

// A recording as the player sees it. Entities are numbered in each frame.
struct PlayedWorld {
  const char* noun = "entities";  // names entities in reports
  core::ByteView schema;          // in the binary form of FlatBuffers
  std::size_t entities = 0;       // number in every frame
  std::size_t frames = 0;
  // Gives an entity the components of a frame. In the first tick it has none.
  std::function<void(ecs::Registry& world, ecs::Entity entity, std::size_t frame, std::size_t number)> set;
  // Returns whether a mirrored entity is right at a tick, in which the world had `frame`: the newest one, or with loss,
  // the one of the entity's tick.
  std::function<bool(const client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick, std::size_t frame,
                     std::size_t number)>
      is_right;
};

// Returns the world of a recording, which must outlive it. compare(mirrored, recorded) returns whether a mirrored
// component is right; an entity without the component never is.
template <class Component, class Compare>
PlayedWorld played_world(const char* noun, core::ByteView schema, const Recording<Component>& recording,
                         Compare compare) {
  PlayedWorld world{noun, schema, recording.entities(), recording.frames(), {}, {}};
  world.set = [&recording](ecs::Registry& registry, ecs::Entity entity, std::size_t frame, std::size_t number) {
    const Component& value = recording.frame(frame)[number];
    if (Component* const present = registry.try_get<Component>(entity)) {
      *present = value;
    } else {
      registry.add<Component>(entity, value);
    }
  };
  world.is_right = [&recording, compare](const client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick,
                                         std::size_t frame, std::size_t number) mutable {
    const std::optional<Component> mirrored = client::sample<Component>(mirror, entity, tick);
    return mirrored.has_value() && compare(*mirrored, recording.frame(frame)[number]);
  };
  return world;
}

// The client joins during the first frame. Reasons: "too short", of less than two frames; "never joined".
core::Result<PlayReport> play(const PlayedWorld& world, const PlayOptions& options);

}  // namespace mobula::bench

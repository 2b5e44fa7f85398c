// World transform: an entity's own Transform composed with those above it.
//
// A server-only component: not replicated. Only the hierarchy adds, writes and removes it. Rotations are unit
// quaternions. Computed by sums and products only: the same bits on every machine.
#pragma once

#include <mobula/schema/engine.hpp>

namespace mobula::hierarchy {

/// Place and rotation in the world.
struct WorldTransform {
  engine::Vec3 position{};
  engine::Quat rotation{.x = 0.0f, .y = 0.0f, .z = 0.0f, .w = 1.0f};

  bool operator==(const WorldTransform&) const = default;
};
static_assert(sizeof(WorldTransform) == 28);  // without padding: values are compared as bytes

/// Returns the world transform of `local` below `parent`.
WorldTransform compose(const WorldTransform& parent, const engine::Transform& local);
/// Returns the inverse: compose(parent, relative_to(parent, world)) is `world`, except for rounding.
engine::Transform relative_to(const WorldTransform& parent, const WorldTransform& world);

}  // namespace mobula::hierarchy

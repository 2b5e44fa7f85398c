// Where an entity is in the world: what its own Transform and those above it come to.
//
// A local component: it never leaves the process. The hierarchy alone adds, writes and removes it; all others read.
// Rotations are unit quaternions. Only sums and products: the same bits on every machine.
#pragma once

#include <mobula/schema/engine.hpp>

namespace mobula::hierarchy {

struct WorldTransform {
  engine::Vec3 position{};
  engine::Quat rotation{.x = 0.0f, .y = 0.0f, .z = 0.0f, .w = 1.0f};

  bool operator==(const WorldTransform&) const = default;
};
static_assert(sizeof(WorldTransform) == 28);  // without padding: values are compared as bytes

// Of what stands at `local` below `parent`.
WorldTransform compose(const WorldTransform& parent, const engine::Transform& local);
// The other way round: compose(parent, relative_to(parent, world)) is `world`, but for rounding.
engine::Transform relative_to(const WorldTransform& parent, const WorldTransform& world);

}  // namespace mobula::hierarchy

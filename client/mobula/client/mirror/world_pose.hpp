// Place and rotation in the world at a moment between ticks: an entity's Transform below its Parents, all of that
// moment.
//
// The rules are those of the server's hierarchy. An entity whose Parent names none with a Transform is a root, and so
// is one in a circle or deeper than hierarchy::max_depth. The same Transforms and Parents give the same bits.
//
// A destroyed parent leaves the mirror at once, although its children have another parent only from their next state
// on. Until then they are shown as in that state.
#pragma once

#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <optional>

namespace mobula::client {

/// Returns place and rotation in the world at `view_tick`. Nothing if the entity had no Transform then. It uses the
/// default instances of Parent and Transform.
[[nodiscard]] std::optional<hierarchy::WorldTransform> sample_world(const Mirror& mirror, ecs::Entity entity,
                                                                    double view_tick);

}  // namespace mobula::client

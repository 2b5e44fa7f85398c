// Snapshot: the full state of a registry as bytes.
//
// It contains entities with their free lists and index ranges, prototypes, all pools of schema components in their
// order, and the tick. It omits server-only components, which have no byte form, and groups, listeners and owners of
// order, which belong to the program. It also omits change ticks and the structural change log: after loading
// everything counts as changed. Layout: snapshot_layout.hpp.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

/// Replaces the content of `out`. Reuses its memory if it is large enough, so keep the buffer for repeated saves.
void save_snapshot(const Registry& registry, core::Bytes& out);

/// Loads a snapshot into a registry without living entities. All handles stay valid. Under the same incarnation the
/// next entities get the handles they would have got in the saved registry. Handles that this registry gave out before
/// become meaningless. Its pools, prototypes and groups stay, and missing pools are opened. Ids of pools and prototypes
/// may differ from those of the saved registry.
///
/// Everything counts as changed. The tick becomes the later one of registry and snapshot, and the change tick of all
/// blocks. The structural change log gets a create per run of living entities. Existing groups are filled; one that
/// owns pools moves its members to their front. Finally `created` is emitted for all entities in index order, then
/// `construct` for each pool.
///
/// Errors, which leave the registry unchanged:
/// - "registry not empty"
/// - "unknown component": a type is not registered
/// - "component differs": in size or name, or it is server-only here
/// - "name collision", "too many pools": as in Registry::open_pool()
/// - "other recycling", "other reuse bits", "later incarnation", "too many entities": as in EntityPool::restore()
/// - "damaged snapshot": each number is checked; even hostile bytes load only states in which Registry::check() passes
///
/// A failed allocation throws and leaves a registry without entities.
core::Status load_snapshot(core::ByteView bytes, Registry& registry);

}  // namespace mobula::ecs

// The whole state of a registry as bytes, and back.
//
// In it are the entities with their free lists and index ranges, prototypes, all pools of schema components in their
// order, and the tick. Not in it: local components, which are no bytes; groups, listeners and owners of order, which
// belong to the program; stamps and journal, since to the readers of a registry that has loaded all is new.
// The layout is in snapshot_layout.hpp.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

// Replaces what is in `out`, in its memory if that is large enough: whoever saves often keeps the buffer.
void save_snapshot(const Registry& registry, core::Bytes& out);

// Makes the registry hold what the saved one did: all handles stay good, and under the same incarnation the next
// entities get the handles that they would have got there. The registry must have no living entities, and handles that
// it gave out before mean nothing afterwards; its pools, prototypes and groups stay, the pools that are missing are
// opened, and ids of pools and prototypes may differ from those of the saved registry.
//
// Readers see everything as new. The tick is the later one of the registry's and the snapshot's, and stamped on all
// blocks; the journal gets a create for each run of living entities; groups that exist are filled (one that owns pools
// puts its members to their front). At the end, when all is in place, `created` listeners hear of all entities in the
// order of their indices, then `construct` listeners of all that have the component.
//
// Refused, and the registry not touched: "registry not empty"; "unknown component" (a type is not registered);
// "component differs" (in size, in name, or it is local here); "name collision" and "too many pools", as by open_pool;
// "other recycling", "other reuse bits", "later incarnation" and "too many entities", as by EntityPool::restore;
// "damaged snapshot": each number is checked, and no writer, however hostile, gets anything else loaded than a state
// in which the registry's own check() passes. An allocation that fails throws, and leaves a registry without entities.
core::Status load_snapshot(core::ByteView bytes, Registry& registry);

}  // namespace mobula::ecs

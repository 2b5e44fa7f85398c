// Identity of a prototype outside the process: a hash of its content. It is equal on every machine and run, whatever
// the order in which components were added. The hash is never used for lookup. Messages and files contain the content
// itself, which is compared. The hash verifies it, and enters the state hash, so contents with equal hashes cannot be
// confused.
#pragma once

#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <span>

namespace mobula::index {

/// Name of a component on the wire and in files.
struct ComponentRef {
  core::StringId32 type;
  core::StringId32 instance;
  auto operator<=>(const ComponentRef&) const = default;
};

/// Returns XXH3 over the (type, instance) pairs, 32 bits each. `components` must be sorted.
std::uint64_t prototype_hash(std::span<const ComponentRef> sorted);

/// Returns the components of a prototype in that order.
std::vector<ComponentRef> components(const ecs::Registry& registry, ecs::PrototypeId prototype);

}  // namespace mobula::index

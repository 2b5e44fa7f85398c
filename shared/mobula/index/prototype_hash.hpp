// A prototype's identity outside the process: a hash of its content, the same on every machine
// and run, whatever order the components were added in.
//
// Nothing is ever found by it. Messages and files hold the content itself, which is compared; the hash shows that two
// sides mean the same, and goes into the state hash. So two contents of one hash cannot be taken for each other.
#pragma once

#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <span>

namespace mobula::index {

// A component as it is named on the wire and in files.
struct ComponentRef {
  core::StringId32 type;
  core::StringId32 instance;
  auto operator<=>(const ComponentRef&) const = default;
};

// XXH3 over (type, instance) pairs, 32 bits each. The components must be sorted.
std::uint64_t prototype_hash(std::span<const ComponentRef> sorted);

// The prototype's components in that order.
std::vector<ComponentRef> components(const ecs::Registry& registry, ecs::PrototypeId prototype);

}  // namespace mobula::index

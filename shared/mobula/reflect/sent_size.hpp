// Largest size of a component's values as clients receive them. It depends on the schema alone, so that a composition
// of components can be refused before any value exists.
#pragma once

#include <cstdint>
#include <mobula/reflect/schema.hpp>

namespace mobula::reflect {

/// Returns an upper bound for the bits of a component in a full state or a delta (wire/entity_codec.hpp). 0 if it is
/// not sent.
std::uint32_t sent_bits_max(const Component& component);

}  // namespace mobula::reflect

// Placements: the short form for many instances of one prefab. `at` a list of places, on a `grid`, or in a
// `scatter` that is the same on every machine.
#pragma once

#include <mobula/resource/compiler/json.hpp>
#include <vector>

namespace mobula::resource {

// Per instance the components that go over those of its prefab: its Transform with position and, where it is
// turned, rotation, and the fields that "position_to" names. Errors are told; then the list is empty.
std::vector<JsonValue> expand_placement(const JsonValue& placement, Diagnostics& diagnostics);

}  // namespace mobula::resource

// Placements: the short notation for many instances of one prefab. `at` is a list of places. `grid` and `scatter`
// generate them, with the same result on every machine.
#pragma once

#include <mobula/resource/compiler/json.hpp>
#include <vector>

namespace mobula::resource {

/// Returns, per instance, the components that override those of its prefab. They are its Transform with position and
/// optional rotation, and the fields that "position_to" names. Reports errors, and then returns an empty list.
std::vector<JsonValue> expand_placement(const JsonValue& placement, Diagnostics& diagnostics);

}  // namespace mobula::resource

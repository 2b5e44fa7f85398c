// Components of engine.fbs that levels treat in a way of their own, by their names in a schema.
#pragma once

#include <string_view>

namespace mobula::resource {

inline constexpr std::string_view parent_component = "Parent";
inline constexpr std::string_view transform_component = "Transform";

}  // namespace mobula::resource

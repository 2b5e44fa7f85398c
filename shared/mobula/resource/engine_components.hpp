// Names of components of engine.fbs that levels treat specially.
#pragma once

#include <string_view>

namespace mobula::resource {

inline constexpr std::string_view parent_component = "Parent";
inline constexpr std::string_view transform_component = "Transform";

}  // namespace mobula::resource

// For messages about names that nobody knows: the known name that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mobula::core {

// " (did you mean 'Health'?)" with the known name nearest to a mistyped one, or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace mobula::core

// Suggestions for unknown names in error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mobula::core {

/// Returns " (did you mean 'Health'?)" with the known name nearest to `typed`. Empty if none is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace mobula::core

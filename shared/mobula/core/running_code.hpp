// Name of the game's code that runs in this thread. Functions of the server alone check that there is none.
#pragma once

#include <string_view>

namespace mobula::core {

/// Returns the system, command or hook that the LogScopes of this thread name; empty if there is none.
[[nodiscard]] std::string_view running_code();

}  // namespace mobula::core

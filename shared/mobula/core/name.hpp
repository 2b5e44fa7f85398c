// Names of worlds, and of nodes of a cluster. They stand in URLs, log lines, keys and labels of metrics.
#pragma once

#include <mobula/core/result.hpp>
#include <string_view>

namespace mobula::core {

/// Returns true for 1 to 64 letters, digits, '-', '_' and '.' of ASCII that begin with a letter or digit.
bool is_good_name(std::string_view text);

/// Checks a name by is_good_name(). Errors: "bad name".
Status check_name(std::string_view text);

}  // namespace mobula::core

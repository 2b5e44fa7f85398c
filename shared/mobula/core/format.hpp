// core::format is fmt::format: std::format is not in g++ 12. Include it in sources, not in public headers.
#pragma once

#include <fmt/format.h>

namespace mobula::core {

using fmt::format;

}  // namespace mobula::core

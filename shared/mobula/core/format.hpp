// core::format is fmt::format, since g++ 12 has no std::format. Include it in sources, not in public headers.
#pragma once

#include <fmt/format.h>

namespace mobula::core {

using fmt::format;

}  // namespace mobula::core

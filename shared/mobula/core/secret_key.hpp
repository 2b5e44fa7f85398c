// A key of 256 bits, and forgetting it.
#pragma once

#include <array>
#include <mobula/core/bytes.hpp>

namespace mobula::core {

using SecretKey = std::array<std::byte, 32>;

// Zeroes that no optimiser takes away: for secrets on the stack or in memory that is given back.
void wipe(MutableBytes secret);

}  // namespace mobula::core

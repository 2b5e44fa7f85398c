// 256-bit keys.
#pragma once

#include <array>
#include <mobula/core/bytes.hpp>

namespace mobula::core {

using SecretKey = std::array<std::byte, 32>;

/// Overwrites a secret with zeros that the optimiser cannot remove, before its memory is freed or reused.
void wipe(MutableBytes secret);

}  // namespace mobula::core

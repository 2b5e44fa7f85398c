// Arithmetic of wrapping 16-bit sequence numbers: distances are modulo 2^16.
#pragma once

#include <cstdint>

namespace mobula::transport {

/// Returns by how much `to` is after `from`.
constexpr std::uint16_t distance(std::uint16_t from, std::uint16_t to) { return static_cast<std::uint16_t>(to - from); }
/// Returns whether `a` comes after `b`, by less than 2^15.
constexpr bool is_after(std::uint16_t a, std::uint16_t b) { return a != b && distance(b, a) < 0x8000; }
constexpr std::uint16_t plus(std::uint16_t number, int offset) { return static_cast<std::uint16_t>(number + offset); }

}  // namespace mobula::transport

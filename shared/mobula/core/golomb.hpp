// Size of the codes that BitWriter::write_golomb writes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mobula::core {

/// Returns the size in bits. value < 2^32, order < 32.
constexpr std::size_t golomb_bits(std::uint32_t value, unsigned order) {
  return 2 * static_cast<std::size_t>(std::bit_width(value + (std::uint64_t{1} << order))) - 1 - order;
}

}  // namespace mobula::core

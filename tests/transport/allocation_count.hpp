// How often this test program has allocated and how much it holds: operator new is replaced by one that counts.
#pragma once

#include <cstdint>

namespace mobula::transport {

std::uint64_t allocation_count();
std::uint64_t allocated_bytes();

}  // namespace mobula::transport

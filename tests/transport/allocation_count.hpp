// Counts allocations and allocated bytes of the test program: operator new is replaced.
#pragma once

#include <cstdint>

namespace mobula::transport {

std::uint64_t allocation_count();
std::uint64_t allocated_bytes();

}  // namespace mobula::transport

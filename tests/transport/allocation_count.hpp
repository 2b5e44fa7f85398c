// How often this test program has allocated: operator new is replaced by one that counts.
#pragma once

#include <cstdint>

namespace mobula::transport {

std::uint64_t allocation_count();

}  // namespace mobula::transport

// Distinguishes a process from the one that has forked it. The child has a copy of the clients and shares their
// sockets.
#pragma once

#include <cstdint>

namespace mobula::c {

/// Returns the number of forks between this process and the one that loaded the library. The first call must precede
/// the forks that are to be counted.
std::uint32_t process_number();

}  // namespace mobula::c

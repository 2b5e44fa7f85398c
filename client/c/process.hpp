// Distinguishes a process from the one that has forked it. The child has a copy of the clients and shares their
// sockets. Locks of the log are counted by it too (core/spin_lock.hpp).
#pragma once

#include <cstdint>

namespace mobula::c {

/// Returns the number of forks between this process and the one that loaded the library.
std::uint32_t process_number();

}  // namespace mobula::c

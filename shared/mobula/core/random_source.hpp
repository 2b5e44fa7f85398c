// Random bytes for keys and nonces. A client needs no random bytes, since its keys are those of the connect token.
#pragma once

#include <mobula/core/bytes.hpp>

namespace mobula::core {

/// Fills `out` from the random source. Not for simulated state.
void random_bytes(MutableBytes out);

/// Fills `out` with random bytes. Called by all threads.
using RandomSource = void (*)(MutableBytes out);

/// Replaces the operating system's random source, for a host without one and for tests that must repeat. Null restores
/// it.
void set_random_source(RandomSource source);

}  // namespace mobula::core

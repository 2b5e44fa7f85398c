// Memory of a module: it grows upwards, and is freed as a whole back to a mark.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mobula::rules_module {

/// Returns zeroed memory, aligned to 16. Fails a check if the module's memory is full.
void* allocate(std::size_t size);
/// Returns where the next allocation begins.
std::uintptr_t arena_mark();
/// Frees all that was allocated since a mark.
void reset_arena(std::uintptr_t mark);

}  // namespace mobula::rules_module

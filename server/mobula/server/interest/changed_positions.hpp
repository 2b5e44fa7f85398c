// Finds what was written in a pool by the change ticks of its blocks.
#pragma once

#include <algorithm>
#include <mobula/ecs/pool.hpp>
#include <span>

namespace mobula::server {

/// Calls visit(position) for each position in a block that was written after a tick. Returns whether there is one.
template <class Visit>
bool each_changed_after(const ecs::Pool& pool, ecs::Tick tick, Visit visit) {
  const std::span<const ecs::Tick> change_ticks = pool.change_ticks();
  bool any = false;
  for (std::uint32_t block = 0; block < change_ticks.size(); ++block) {
    if (change_ticks[block] <= tick) continue;
    any = true;
    const std::uint32_t begin = block << ecs::Pool::block_shift;
    const std::uint32_t end = std::min(begin + ecs::Pool::block_size, pool.size());
    for (std::uint32_t position = begin; position < end; ++position) visit(position);
  }
  return any;
}

}  // namespace mobula::server

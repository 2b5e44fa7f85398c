// Entity indices of a pool by position, as last seen: finds changes whatever caused them. Only positions whose entity
// differs cost more than a comparison of bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <mobula/ecs/pool.hpp>
#include <vector>

namespace mobula::hierarchy {

/// Entity indices of a pool by position, as last seen.
class LastSeen {
 public:
  [[nodiscard]] bool is_current(const ecs::Pool& pool) const { return version_ == pool.version(); }
  /// Returns whether the position held this index.
  [[nodiscard]] bool knows(std::uint32_t position, std::uint32_t index) const {
    return position < indices_.size() && indices_[position] == index;
  }
  /// Calls removed(index) for each entity that left the pool, then added(position) for each position with another
  /// entity. Updates the record.
  template <class Removed, class Added>
  void follow(const ecs::Pool& pool, Removed removed, Added added);
  /// Forgets a position that follow() reported. The next call reports it again.
  void forget(std::uint32_t position) {
    indices_[position] = ecs::Pool::none;
    version_ = 0;
  }
  void clear() {
    indices_.clear();
    version_ = 0;
  }

 private:
  std::vector<std::uint32_t> indices_;
  std::uint64_t version_ = 0;  // version of the pool; no pool has version 0
};

template <class Removed, class Added>
void LastSeen::follow(const ecs::Pool& pool, Removed removed, Added added) {
  const auto before = static_cast<std::uint32_t>(indices_.size());
  const std::span<const std::uint32_t> now = pool.indices();
  const std::uint32_t both = std::min(before, pool.size());
  const std::uint32_t end = std::max(before, pool.size());
  for (std::uint32_t begin = 0; begin < end; begin += ecs::Pool::block_size) {
    const std::uint32_t next = std::min(begin + ecs::Pool::block_size, end);
    if (next <= both && std::memcmp(&indices_[begin], &now[begin], (next - begin) * sizeof(std::uint32_t)) == 0)
      continue;
    for (std::uint32_t position = begin; position < next; ++position) {
      if (position < both && indices_[position] == now[position]) continue;
      if (position < before && !pool.contains(indices_[position])) removed(indices_[position]);
      if (position < now.size()) added(position);
    }
  }
  indices_.assign(now.begin(), now.end());
  version_ = pool.version();
}

}  // namespace mobula::hierarchy

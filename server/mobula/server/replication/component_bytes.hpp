// Bytes sent to one client per component, counted on request.
#pragma once

#include <algorithm>
#include <mobula/core/clock.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::server {

/// A measurement on request ends after this time without a request.
inline constexpr core::Nanoseconds measuring_timeout = 10 * core::second;

/// Counts since a time.
struct ComponentBytes {
  core::Nanoseconds since = 0;           // begin of the measurement
  core::Nanoseconds asked_at = 0;        // time of the last query
  std::uint64_t bytes = 0;               // size of all deltas
  std::vector<std::uint64_t> bits = {};  // by pool: bits of component values

  /// Adds the bits of an entity's rows, each to its pool.
  void add(std::span<const ecs::PoolId> pools, std::span<const std::uint32_t> row_bits) {
    for (std::size_t row = 0; row < pools.size(); ++row) {
      if (pools[row] >= bits.size()) bits.resize(pools[row] + 1);
      bits[pools[row]] += row_bits[row];
    }
  }
  /// Returns the bits per pool, largest first. no_pool stands for headers, lists of entities and padding.
  [[nodiscard]] std::vector<std::pair<ecs::PoolId, std::uint64_t>> by_size() const {
    std::vector<std::pair<ecs::PoolId, std::uint64_t>> shares{{ecs::no_pool, 8 * bytes}};
    for (ecs::PoolId pool = 0; pool < bits.size(); ++pool) {
      if (bits[pool] == 0) continue;
      shares.front().second -= bits[pool];
      shares.emplace_back(pool, bits[pool]);
    }
    std::ranges::stable_sort(shares, std::ranges::greater(), &std::pair<ecs::PoolId, std::uint64_t>::second);
    return shares;
  }
};

}  // namespace mobula::server

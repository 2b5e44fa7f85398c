// Random sources of the simulation's parts, and helpers for hostile peers.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/random.hpp>
#include <utility>
#include <vector>

namespace mobula::sim {

// Seeds derived for different purposes are independent.
enum class Salt : std::uint8_t { plan, network, disk, memory, sqlite, work };
inline std::uint64_t salted(std::uint64_t seed, Salt salt) {
  return core::hash64(core::as_bytes(&seed, 1), static_cast<std::uint64_t>(salt));
}

inline core::Bytes noise(core::Random& random, std::size_t count) {
  core::Bytes bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.below(256));
  return bytes;
}

// Appends `one`, or replaces a random item once there are `most`.
template <class T>
void keep_some(std::vector<T>& kept, std::uint32_t most, T&& one, core::Random& random) {
  if (kept.size() < most) {
    kept.push_back(std::move(one));
  } else {
    kept[random.below(most)] = std::move(one);
  }
}

}  // namespace mobula::sim

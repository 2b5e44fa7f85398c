// What enemies make up, and what they remember.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <utility>
#include <vector>

namespace mobula::sim {

inline core::Bytes noise(core::Random& random, std::size_t count) {
  core::Bytes bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.below(256));
  return bytes;
}

// Instead of any that is there, once there are so many.
template <class T>
void keep_some(std::vector<T>& kept, std::uint32_t most, T&& one, core::Random& random) {
  if (kept.size() < most) {
    kept.push_back(std::move(one));
  } else {
    kept[random.below(most)] = std::move(one);
  }
}

}  // namespace mobula::sim

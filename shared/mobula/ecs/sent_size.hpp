// Size of an entity's components as clients receive them. It is known for each composition, so that a component that a
// client could not receive is refused where it is added.
#pragma once

#include <cstdint>

namespace mobula::ecs {

/// Sum over components. Those that are not sent do not count.
struct SentSize {
  static constexpr std::uint32_t bits_max = 16 * 1024 * 8;
  static constexpr std::uint32_t components_max = 256;

  std::uint32_t bits = 0;
  std::uint32_t components = 0;

  /// Adds a component of at most `bits_max_of_component` bits; 0 if it is not sent.
  void add(std::uint32_t bits_max_of_component) {
    bits += bits_max_of_component;
    components += bits_max_of_component > 0 ? 1 : 0;
  }
  [[nodiscard]] bool fits() const { return bits <= bits_max && components <= components_max; }
};

}  // namespace mobula::ecs

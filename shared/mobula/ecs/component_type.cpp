#include <atomic>
#include <mobula/ecs/component_type.hpp>

namespace mobula::ecs::detail {

std::uint32_t next_type_slot() {
  static std::atomic<std::uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t next_composition_slot() {
  static std::atomic<std::uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace mobula::ecs::detail

// Handle of an entity: the same 64 bits in the server's memory, on the wire, in saves and in the client's memory. As
// text: index.generation.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mobula::ecs {

/// Zeroed memory is null_entity: no entity has generation 0.
struct Entity {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  auto operator<=>(const Entity&) const = default;
  explicit operator bool() const { return generation != 0; }
};

inline constexpr Entity null_entity{};

/// Entities of consecutive indices and one generation.
struct EntityRun {
  Entity first;
  std::uint32_t count;
};

/// Returns the length of the longest prefix with consecutive indices and equal generations.
inline std::uint32_t run_length(std::span<const Entity> entities) {
  std::uint32_t count = 0;
  while (count < entities.size() && entities[count] == Entity{entities[0].index + count, entities[0].generation})
    ++count;
  return count;
}

std::string to_string(Entity entity);  // "index.generation"

/// Returns nothing unless the text is exactly two decimal 32-bit numbers separated by a dot.
std::optional<Entity> parse_entity(std::string_view text);

}  // namespace mobula::ecs

template <>
struct std::hash<mobula::ecs::Entity> {
  std::size_t operator()(mobula::ecs::Entity entity) const noexcept {
    return static_cast<std::size_t>((std::uint64_t{entity.generation} << 32 | entity.index) * 0x9e3779b97f4a7c15ull);
  }
};

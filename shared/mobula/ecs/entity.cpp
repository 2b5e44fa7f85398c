#include <charconv>
#include <mobula/ecs/entity.hpp>

namespace mobula::ecs {

std::string to_string(Entity entity) { return std::to_string(entity.index) + '.' + std::to_string(entity.generation); }

std::optional<Entity> parse_entity(std::string_view text) {
  Entity entity;
  const char* const end = text.data() + text.size();
  const auto [dot, index_error] = std::from_chars(text.data(), end, entity.index);
  if (index_error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, generation_error] = std::from_chars(dot + 1, end, entity.generation);
  if (generation_error != std::errc{} || rest != end) return std::nullopt;
  return entity;
}

}  // namespace mobula::ecs

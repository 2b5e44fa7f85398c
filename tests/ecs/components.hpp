// Component types shared by these tests: three schema components, and server-only ones of each kind that a pool must
// support: move-only, owning memory, without members, over-aligned. Each holds one number.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <string_view>

namespace mobula::ecs::test {

struct Position {
  static constexpr std::string_view component_name = "Position";
  std::int32_t value = 1;
};
struct Health {
  static constexpr std::string_view component_name = "Health";
  std::int32_t value = 100;
};
struct Mana {
  static constexpr std::string_view component_name = "Mana";
  std::int32_t value = 10;
};
struct Thought {
  std::unique_ptr<std::int32_t> content = std::make_unique<std::int32_t>(0);
};
struct Label {
  std::string text;
};
struct Marker {};
struct alignas(64) Wide {
  std::int32_t value = 0;
};

template <class T>
T make(std::int32_t value) {
  if constexpr (std::is_same_v<T, Thought>) {
    return {std::make_unique<std::int32_t>(value)};
  } else if constexpr (std::is_same_v<T, Label>) {
    return {"a label too long to lie in the string itself: " + std::to_string(value)};
  } else if constexpr (std::is_empty_v<T>) {
    return {};
  } else {
    return {value};
  }
}

template <class T>
std::int32_t value_of(const T& component) {
  if constexpr (std::is_same_v<T, Thought>) {
    return *component.content;
  } else if constexpr (std::is_same_v<T, Label>) {
    return std::stoi(component.text.substr(component.text.find(':') + 1));
  } else if constexpr (std::is_empty_v<T>) {
    return 0;
  } else {
    return component.value;
  }
}

template <SchemaComponent T>
ComponentType schema_type() {
  const T value{};
  const core::ByteView bytes = core::as_bytes(&value, 1);
  return {.id = core::StringId32(T::component_name),
          .name = std::string(T::component_name),
          .size = sizeof(T),
          .alignment = alignof(T),
          .schema = true,
          .default_value = {bytes.begin(), bytes.end()}};
}

struct World : Registry {
  explicit World(RegistryConfig config = {}) : Registry(config) {
    static_cast<void>(register_type(schema_type<Position>()));
    static_cast<void>(register_type(schema_type<Health>()));
    static_cast<void>(register_type(schema_type<Mana>()));
  }
};

// Small pages, so that small tests cover many.
inline constexpr PoolConfig small_pages{.sparse_page_shift = 4};
// Configuration of a mirror.
inline constexpr PoolConfig no_pages{.sparse_page_shift = SparseSet::no_pages};

}  // namespace mobula::ecs::test

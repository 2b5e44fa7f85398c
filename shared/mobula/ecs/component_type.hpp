// What the ECS knows of a component's type: how many bytes, and how to move and end one.
// A schema component is plain bytes described by the schema: it is replicated and saved.
// A local component is any movable C++ type and never leaves the process.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mobula::ecs {

struct ComponentType {
  core::StringId32 id;
  std::string name;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  bool schema = false;
  core::Bytes default_value;  // schema components: `size` bytes

  // Null where bytes may simply be copied and forgotten.
  void (*relocate)(void* to, void* from) = nullptr;  // leaves `from` destroyed
  void (*destroy)(void* at) = nullptr;
};

// A struct made by the schema generator: knows its name, is plain bytes.
template <class T>
concept SchemaComponent = std::is_trivially_copyable_v<T> && requires {
  { T::component_name } -> std::convertible_to<std::string_view>;
};

namespace detail {
std::uint32_t next_type_slot();

template <class T>
constexpr std::string_view pretty_type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  const std::size_t end = text.find(';');  // g++ names further types after it
  return text.substr(0, end != std::string_view::npos ? end : text.rfind(']'));
}
}  // namespace detail

// A small number per C++ type and process, for direct look-up; never leaves the process.
template <class T>
inline const std::uint32_t type_slot = detail::next_type_slot();

// What a registry tells types apart by: of a schema component its name there, of a local one the C++ name with all
// namespaces. Local types of one name in the anonymous namespaces of two files are one to it: the second asserts.
template <class T>
constexpr std::string_view component_name() {
  if constexpr (SchemaComponent<T>) {
    return T::component_name;
  } else {
    return detail::pretty_type_name<T>();
  }
}

// At memory that holds nothing yet; what no constructor takes are an aggregate's members.
template <class T, class... Arguments>
T* construct_component(void* at, Arguments&&... arguments) {
  if constexpr (std::is_aggregate_v<T> && !std::is_constructible_v<T, Arguments...>) {
    return ::new (at) T{std::forward<Arguments>(arguments)...};
  } else {
    return ::new (at) T(std::forward<Arguments>(arguments)...);
  }
}

template <class T>
ComponentType server_only_component_type() {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "pools move components about, which must not throw");
  ComponentType type{.id = core::StringId32(component_name<T>()),
                     .name = std::string(component_name<T>()),
                     .size = sizeof(T),
                     .alignment = alignof(T),
                     .default_value = {}};
  if constexpr (!std::is_trivially_copyable_v<T>) {
    type.relocate = [](void* to, void* from) {
      T* source = static_cast<T*>(from);
      ::new (to) T(std::move(*source));
      source->~T();
    };
    type.destroy = [](void* at) { static_cast<T*>(at)->~T(); };
  }
  return type;
}

}  // namespace mobula::ecs

// Description of a component's type for the ECS: its size, and how to move and destroy a value.
// A schema component is plain bytes described by the schema; it is replicated and saved.
// A server-only component is any movable C++ type. It is neither replicated nor saved. Its destructor may change the
// registry: the component has left its pool by then, and a destroyed entity is not alive any more. While the registry
// ends, it may destroy and remove, but not add such components. No listener is called then.
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

/// Description of a component's type.
struct ComponentType {
  core::StringId32 id;
  std::string name;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  bool schema = false;
  std::uint32_t sent_bits_max = 0;  // most bits of a value as clients receive it; 0 if it is not sent
  core::Bytes default_value;        // schema components: `size` bytes

  /// Null if values are plain bytes: copied, and dropped without a destructor.
  void (*relocate)(void* to, void* from) = nullptr;  // leaves `from` destroyed
  void (*destroy)(void* at) = nullptr;
};

/// A struct generated from the schema: plain bytes with a component name.
template <class T>
concept SchemaComponent = std::is_trivially_copyable_v<T> && requires {
  { T::component_name } -> std::convertible_to<std::string_view>;
};

namespace detail {
std::uint32_t next_type_slot();
std::uint32_t next_composition_slot();

template <class T>
constexpr std::string_view pretty_type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  const std::size_t end = text.find(';');  // g++ lists further types after it
  return text.substr(0, end != std::string_view::npos ? end : text.rfind(']'));
}
}  // namespace detail

/// Small number per C++ type and process, for direct lookup. Never serialised.
template <class T>
inline const std::uint32_t type_slot = detail::next_type_slot();
/// The same per list of C++ types.
template <class... Ts>
inline const std::uint32_t composition_slot = detail::next_composition_slot();

/// Returns the name by which a registry identifies a type. Schema components use their schema name, server-only
/// components the C++ name with all namespaces. Two server-only types of one name in anonymous namespaces of two files
/// collide: the second fails a check.
template <class T>
constexpr std::string_view component_name() {
  if constexpr (SchemaComponent<T>) {
    return T::component_name;
  } else {
    return detail::pretty_type_name<T>();
  }
}

/// Constructs a T in uninitialised memory. Aggregates without a matching constructor are initialised by members.
template <class T, class... Arguments>
T* construct_component(void* at, Arguments&&... arguments) {
  if constexpr (std::is_aggregate_v<T> && !std::is_constructible_v<T, Arguments...>) {
    return ::new (at) T{std::forward<Arguments>(arguments)...};
  } else {
    return ::new (at) T(std::forward<Arguments>(arguments)...);
  }
}

/// Returns the description of a server-only component.
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

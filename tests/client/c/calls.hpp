// Calls of the C interface in C++ types, for tests.
#pragma once

#include <c/mobula_client.h>

#include <mobula/ecs/entity.hpp>
#include <vector>

namespace mobula::test {

/// Returns a struct of the C interface whose struct_size is set.
template <class Struct>
Struct sized() {
  Struct value{};
  value.struct_size = sizeof value;
  return value;
}

/// Returns a handle of the C interface as one of the server.
inline ecs::Entity to_entity(mobula_entity entity) {
  return {static_cast<std::uint32_t>(entity), static_cast<std::uint32_t>(entity >> 32)};
}

/// Returns a handle of the server as one of the C interface.
inline mobula_entity handle_of(ecs::Entity entity) { return mobula_entity{entity.generation} << 32 | entity.index; }

/// Reads an array of unknown length with read(items, capacity, count). Empty if that fails.
template <class Item, class Read>
std::vector<Item> read_all(Read&& read) {
  std::uint32_t count = 0;
  read(static_cast<Item*>(nullptr), 0u, &count);
  std::vector<Item> items(count);
  if (read(items.data(), count, &count) != MOBULA_OK) items.clear();
  return items;
}

}  // namespace mobula::test

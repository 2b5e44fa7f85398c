// Kinds of components for model tests, and groups over them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs::test {

// Operations on components of one pool, whatever their type. `way` selects one of several equivalent calls.
struct ComponentKind {
  PoolId (*open)(World&);
  void (*add)(World&, Entity, PoolId, std::int32_t value, std::uint32_t way);
  void (*write)(World&, Entity, PoolId, std::int32_t value, std::uint32_t way);
  std::int32_t (*read)(World&, Entity, PoolId);
  void (*add_all)(World&, std::span<const Entity>, std::int32_t value);  // null without a bulk form
  bool empty;                                                            // holds no value: always 0
};

template <class T>
std::int32_t read_component(World& world, Entity entity, PoolId pool) {
  return value_of(world.get<const T>(entity, pool));
}

template <class T>
void add_component(World& world, Entity entity, PoolId pool, std::int32_t value, std::uint32_t way) {
  if constexpr (SchemaComponent<T>) {
    const T component = make<T>(value);
    if (way == 0) return static_cast<void>(world.add_bytes(entity, pool, core::as_bytes(&component, 1)));
  }
  if (way == 1 && pool == world.pool_of<T>()) {
    world.emplace<T>(entity, make<T>(value));
  } else {
    world.add<T>(entity, make<T>(value), pool);
  }
}

template <class T>
void write_component(World& world, Entity entity, PoolId pool, std::int32_t value, std::uint32_t way) {
  if constexpr (SchemaComponent<T>) {
    if (way == 0) return core::store(world.try_write(entity, pool), make<T>(value));
  }
  if (way == 1 && pool == world.pool_of<T>()) {
    world.patch<T>(entity, [&](T& component) { component = make<T>(value); });
  } else if (way == 2) {
    *world.try_get<T>(entity, pool) = make<T>(value);
  } else {
    world.get<T>(entity, pool) = make<T>(value);
  }
}

template <class T>
constexpr ComponentKind component_kind() {
  ComponentKind kind{[](World& world) { return world.pool_of<T>(); },
                     add_component<T>,
                     write_component<T>,
                     read_component<T>,
                     nullptr,
                     std::is_empty_v<T>};
  if constexpr (std::is_copy_constructible_v<T>)
    kind.add_all = [](World& world, std::span<const Entity> entities, std::int32_t value) {
      world.add<T>(entities, make<T>(value));
    };
  return kind;
}

constexpr ComponentKind armour_kind() {
  ComponentKind kind = component_kind<Health>();
  kind.open = [](World& world) { return world.pool_of<Health>("Armour"); };
  kind.add_all = nullptr;
  return kind;
}

inline constexpr std::array kinds{
    component_kind<Position>(), component_kind<Health>(), component_kind<Mana>(),   armour_kind(),
    component_kind<Thought>(),  component_kind<Label>(),  component_kind<Marker>(), component_kind<Wide>()};
enum KindOf : std::size_t { position, health, mana, armour, thought, label, marker, wide };
inline constexpr std::size_t schema_kinds = 4;  // the first kinds

struct GroupCase {
  GroupSet& (*open)(World&);
  std::vector<KindOf> required;
  std::vector<KindOf> excluded;
};

// Groups of each kind over the same components. The owned pools of these two lists exclude each other.
inline std::vector<GroupCase> some_groups() {
  return {{[](World& world) -> GroupSet& { return world.group<Position, Health>().set(); }, {position, health}, {}},
          {[](World& world) -> GroupSet& { return world.group<Mana>(with<Label>, exclude<Marker>).set(); },
           {mana, label},
           {marker}},
          {[](World& world) -> GroupSet& { return world.group<>(with<Position, Thought>, exclude<Wide>).set(); },
           {position, thought},
           {wide}}};
}
inline std::vector<GroupCase> other_groups() {
  return {
      {[](World& world) -> GroupSet& { return world.group<>(with<Position, Mana>).set(); }, {position, mana}, {}},
      {[](World& world) -> GroupSet& { return world.group<Label, Thought, Position>(with<>, exclude<Health>).set(); },
       {label, thought, position},
       {health}},
      {[](World& world) -> GroupSet& { return world.group<Wide>(with<Position>).set(); }, {wide, position}, {}},
      {[](World& world) -> GroupSet& { return world.group<>(with<Marker>, exclude<Position, Label>).set(); },
       {marker},
       {position, label}}};
}

}  // namespace mobula::ecs::test

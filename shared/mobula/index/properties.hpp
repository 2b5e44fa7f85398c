// Properties of one registry: get and set what components hold, by name, without knowing their types.
// Typed, as JSON text, or one property of many entities as a column.
//
// Reading goes through const access. A set checks everything first and then writes once, through mutable access,
// which sets the change tick like any write. A refused set changes neither value nor change tick.
//
// Reasons of all that can fail: "stale handle", "no such component", "no such property", "read only",
// "out of range", "wrong type", "not text", "name collision" (a name whose hash is that of another).
//
// Resolve once, and get and set by the PropertyRef cost nanoseconds and allocate nothing unless they fail.
// Owns its tables; refers to registry, schema and names. Used by the registry's thread.
#pragma once

#include <mobula/index/name_table.hpp>
#include <mobula/index/property.hpp>
#include <mobula/index/property_table.hpp>
#include <mobula/reflect/value.hpp>
#include <span>
#include <vector>

namespace mobula::index {

class Properties {
 public:
  Properties(ecs::Registry& registry, const reflect::Schema& schema, const NameTable& names);

  // Gives a component type a property that is computed. Reasons: "unknown component", "name collision",
  // "bad property".
  core::Status add(std::string_view component, ComputedProperty property) {
    return table_.add(component, std::move(property));
  }

  [[nodiscard]] core::Result<PropertyRef> resolve(ecs::Entity entity, const InstanceName& component,
                                                  std::string_view path) const;
  [[nodiscard]] core::Result<PropertyRef> resolve(ecs::PoolId pool, std::string_view path) const;

  // T as reflect::value_as has it. A text is good until the component changes or, if computed, until the next get.
  template <class T>
  [[nodiscard]] core::Result<T> get(ecs::Entity entity, const PropertyRef& property) const {
    const std::byte* at = find_value(entity, property);
    if (at == nullptr) [[unlikely]]
      return why_not(entity, property);
    return reflect::value_as<T>(*property.field(), reflect::read_value(*property.field(), at));
  }
  template <class T>
  [[nodiscard]] core::Result<T> get(ecs::Entity entity, const InstanceName& component, std::string_view path) const {
    const core::Result<PropertyRef> property = resolve(entity, component, path);
    if (!property) return property.error();
    return get<T>(entity, *property);
  }
  template <class T>
  core::Status set(ecs::Entity entity, const PropertyRef& property, const T& value) {
    return set_value(entity, property, reflect::to_value(value));
  }
  template <class T>
  core::Status set(ecs::Entity entity, const InstanceName& component, std::string_view path, const T& value) {
    const core::Result<PropertyRef> property = resolve(entity, component, path);
    if (!property) return property.error();
    return set(entity, *property, value);
  }

  // As JSON: numbers, true and false, "texts", enums and string_ids by name (a string_id whose name nobody knows: the
  // number of its hash), entities as "index.generation" or null, rotations as [x, y, z, w], arrays as lists of the
  // elements in use, structs as objects. A float that is not finite is null, and cannot be set.
  // In a set a struct may also be the list of its members; members that an object leaves out stay as they are; a
  // bounded array's count follows from the list.
  [[nodiscard]] core::Result<std::string> get_text(ecs::Entity entity, const PropertyRef& property) const;
  [[nodiscard]] core::Result<std::string> get_text(ecs::Entity entity, const InstanceName& component,
                                                   std::string_view path) const;
  core::Status set_text(ecs::Entity entity, const PropertyRef& property, std::string_view json);
  core::Status set_text(ecs::Entity entity, const InstanceName& component, std::string_view path,
                        std::string_view json);

  // The property of each entity into `out` beside it. Entities that do not have it (stale, without the component,
  // with too few elements) leave their place in `out` alone. Returns how many had it. Fails only if a value does not
  // go into a T: `out` may be filled in part then.
  template <class T>
  core::Result<std::size_t> get_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                       std::span<T> out) const;
  // The other way, for entities of which none is there twice. One value that is refused refuses all.
  template <class T>
  core::Result<std::size_t> set_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                       std::span<const T> values);

  // All properties of an entity, component by component. Structs are not among them: their fields are.
  // Reason: "stale handle".
  [[nodiscard]] core::Result<std::vector<PropertyInfo>> list(ecs::Entity entity) const;

  [[nodiscard]] const NameTable& names() const { return names_; }

 private:
  // Where a single value is, computed or not; null if there is none, and why.
  [[nodiscard]] const std::byte* find_value(ecs::Entity entity, const PropertyRef& property) const;
  [[nodiscard]] core::Error why_not(ecs::Entity entity, const PropertyRef& property) const;
  core::Status set_value(ecs::Entity entity, const PropertyRef& property, const reflect::Value& value);
  // Whether set_value would go through.
  [[nodiscard]] core::Status check_value(ecs::Entity entity, const PropertyRef& property,
                                         const reflect::Value& value) const;
  // Whether the entity has the property, element included.
  [[nodiscard]] bool has(ecs::Entity entity, const PropertyRef& property) const;
  // The bytes of a checked value: property.field()->size of them.
  core::Status make_bytes(const PropertyRef& property, const reflect::Value& value, std::byte* to) const;
  core::Status set_computed(ecs::Entity entity, const PropertyRef& property, const std::byte* value);
  core::Status set_computed_text(ecs::Entity entity, const PropertyRef& property, const reflect::JsonValue& value);

  [[nodiscard]] const std::byte* read(ecs::Entity entity, const PropertyRef& property) const {
    return static_cast<const ecs::Registry&>(registry_).try_read(entity, property.pool_);
  }
  // Whether an element of a bounded array is in use.
  static bool in_use(const PropertyRef& property, const std::byte* component);

  [[nodiscard]] core::Error not_there(ecs::Entity entity, const PropertyRef& property) const;
  [[nodiscard]] core::Error no_component(ecs::Entity entity, const InstanceName& component) const;
  static core::Error unused(const PropertyRef& property, const std::byte* component);
  static core::Error not_single(const PropertyRef& property);

  ecs::Registry& registry_;
  const NameTable& names_;
  PropertyTable table_;
  mutable core::Bytes computed_;  // the value last computed
};

template <class T>
core::Result<std::size_t> Properties::get_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                                 std::span<T> out) const {
  MOBULA_ASSERT(out.size() == entities.size(), "a value for each entity");
  if (!property.single()) return not_single(property);
  std::size_t count = 0;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (!has(entities[i], property)) continue;
    const core::Result<T> value = get<T>(entities[i], property);
    if (!value) return value.error();
    out[i] = *value;
    ++count;
  }
  return count;
}

template <class T>
core::Result<std::size_t> Properties::set_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                                 std::span<const T> values) {
  MOBULA_ASSERT(values.size() == entities.size(), "a value for each entity");
  if (!property.single()) return not_single(property);
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (!has(entities[i], property)) continue;
    if (core::Status good = check_value(entities[i], property, reflect::to_value(values[i])); !good)
      return good.error();
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (!has(entities[i], property)) continue;
    const core::Status done = set(entities[i], property, values[i]);
    MOBULA_ASSERT(done.ok(), "a computed property refuses what it had agreed to before another entity was set");
    count += done.ok();
  }
  return count;
}

}  // namespace mobula::index

// Property system of one registry: reads and writes values of components by name, without knowing their types. Values
// are typed, JSON text, or one property of many entities as a column.
//
// Reads use const access. A set checks everything first and then writes once through mutable access, which sets the
// change tick like any write. A refused set has changed nothing.
//
// Errors of all functions:
// - "stale handle", "no such component", "no such property", "read only";
// - "out of range", "wrong type", "not text";
// - "name collision": a name has the hash of another.
//
// After one resolve(), get and set by the PropertyRef take nanoseconds and do not allocate unless they fail. Owns its
// tables; refers to registry, schema and names. Used by the registry's thread.
#pragma once

#include <mobula/index/name_table.hpp>
#include <mobula/index/property.hpp>
#include <mobula/index/property_table.hpp>
#include <mobula/reflect/value.hpp>
#include <span>
#include <vector>

namespace mobula::index {

/// Reads and writes values of components by name.
class Properties {
 public:
  /// Builds the table of all paths of the schema. Registry, schema and names must outlive this.
  Properties(ecs::Registry& registry, const reflect::Schema& schema, const NameTable& names);

  /// Adds a computed property to a component type. Errors: "unknown component", "name collision", "bad property".
  core::Status add(std::string_view component, ComputedProperty property) {
    return table_.add(component, std::move(property));
  }

  /// Finds a property of a component of an entity, for repeated access. `path` is as in "position.x" or "slots[2]".
  /// Errors: also "stale handle" and "no such component".
  [[nodiscard]] core::Result<PropertyRef> resolve(ecs::Entity entity, const InstanceName& component,
                                                  std::string_view path) const;
  /// Finds a property of a pool. Errors: "no such property", "out of range". Checks that the pool exists.
  [[nodiscard]] core::Result<PropertyRef> resolve(ecs::PoolId pool, std::string_view path) const;

  /// Returns a value as T (reflect::value_as). A text is valid until the component changes or, if computed, until the
  /// next get.
  template <class T>
  [[nodiscard]] core::Result<T> get(ecs::Entity entity, const PropertyRef& property) const {
    const std::byte* at = find_value(entity, property);
    if (at == nullptr) [[unlikely]]
      return why_not(entity, property);
    return reflect::value_as<T>(*property.field(), reflect::read_value(*property.field(), at));
  }
  /// Resolves and gets. The look-up by text costs far more than the access.
  template <class T>
  [[nodiscard]] core::Result<T> get(ecs::Entity entity, const InstanceName& component, std::string_view path) const {
    const core::Result<PropertyRef> property = resolve(entity, component, path);
    if (!property) return property.error();
    return get<T>(entity, *property);
  }
  /// Sets a single value of a type that reflect::to_value() takes. Structs and arrays are "wrong type": use set_text().
  template <class T>
  core::Status set(ecs::Entity entity, const PropertyRef& property, const T& value) {
    return set_value(entity, property, reflect::to_value(value));
  }
  /// Resolves and sets.
  template <class T>
  core::Status set(ecs::Entity entity, const InstanceName& component, std::string_view path, const T& value) {
    const core::Result<PropertyRef> property = resolve(entity, component, path);
    if (!property) return property.error();
    return set(entity, *property, value);
  }

  /// Returns a property as JSON:
  /// - numbers, true, false, "texts"; enums and string_ids by name, an unknown string_id as the number of its hash;
  /// - entities as "index.generation" or null, rotations as [x, y, z, w];
  /// - arrays as lists of the used elements, structs as objects;
  /// - a float that is not finite as null, which cannot be set.
  /// In a set, a struct may also be the list of its members. Missing members stay unchanged; the count of a bounded
  /// array follows from the list.
  [[nodiscard]] core::Result<std::string> get_text(ecs::Entity entity, const PropertyRef& property) const;
  /// Resolves and gets the text. The look-up by text is repeated with each call.
  [[nodiscard]] core::Result<std::string> get_text(ecs::Entity entity, const InstanceName& component,
                                                   std::string_view path) const;
  /// Sets a property from JSON, in the form of get_text().
  core::Status set_text(ecs::Entity entity, const PropertyRef& property, std::string_view json);
  /// Resolves and sets the text.
  core::Status set_text(ecs::Entity entity, const InstanceName& component, std::string_view path,
                        std::string_view json);
  /// Returns the component's bytes as set_text() would leave them, for checks beyond the schema. Writes nothing.
  [[nodiscard]] core::Result<core::Bytes> preview_text(ecs::Entity entity, const InstanceName& component,
                                                       std::string_view path, std::string_view json) const;

  /// Reads the property of each entity into the same position of `out`. Positions of entities without it (stale,
  /// without the component, with too few elements) stay unchanged. Returns the number of entities that have it. Fails
  /// only if a value does not convert to T or the property is not single; `out` may then be partly filled. Checks that
  /// `out` and `entities` have one size.
  template <class T>
  core::Result<std::size_t> get_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                       std::span<T> out) const;
  /// Writes the property of each entity. `entities` has no duplicates. One refused value refuses all. Skips entities
  /// without the property, and does not check their values. Returns the number of entities that have it. Checks that
  /// `values` and `entities` have one size.
  template <class T>
  core::Result<std::size_t> set_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                       std::span<const T> values);

  /// Lists all properties of an entity, component by component. Structs appear as their fields. Errors: "stale handle".
  [[nodiscard]] core::Result<std::vector<PropertyInfo>> list(ecs::Entity entity) const;

  [[nodiscard]] const NameTable& names() const { return names_; }

 private:
  // Returns the place of a single value, computed or not; null with an error if there is none.
  [[nodiscard]] const std::byte* find_value(ecs::Entity entity, const PropertyRef& property) const;
  [[nodiscard]] core::Error why_not(ecs::Entity entity, const PropertyRef& property) const;
  core::Status set_value(ecs::Entity entity, const PropertyRef& property, const reflect::Value& value);
  // Returns whether set_value would succeed.
  [[nodiscard]] core::Status check_value(ecs::Entity entity, const PropertyRef& property,
                                         const reflect::Value& value) const;
  // Returns whether the entity has the property, including the element.
  [[nodiscard]] bool has(ecs::Entity entity, const PropertyRef& property) const;
  // Writes the property.field()->size bytes of a checked value.
  core::Status make_bytes(const PropertyRef& property, const reflect::Value& value, std::byte* to) const;
  // The make_ functions write the changed component to `to`, which has room for every component.
  core::Status make_text(ecs::Entity entity, const PropertyRef& property, std::string_view json, std::byte* to) const;
  core::Status make_computed(ecs::Entity entity, const PropertyRef& property, const std::byte* value,
                             std::byte* to) const;
  core::Status make_computed_text(ecs::Entity entity, const PropertyRef& property, const reflect::JsonValue& value,
                                  std::byte* to) const;
  // Writes a component that a make_ function made.
  void write_made(ecs::Entity entity, const PropertyRef& property, const std::byte* made);

  [[nodiscard]] const std::byte* read(ecs::Entity entity, const PropertyRef& property) const {
    return static_cast<const ecs::Registry&>(registry_).try_read(entity, property.pool_);
  }
  // Returns whether an element of a bounded array is in use.
  static bool in_use(const PropertyRef& property, const std::byte* component);

  [[nodiscard]] core::Error not_there(ecs::Entity entity, const PropertyRef& property) const;
  [[nodiscard]] core::Error no_component(ecs::Entity entity, const InstanceName& component) const;
  static core::Error unused(const PropertyRef& property, const std::byte* component);
  static core::Error not_single(const PropertyRef& property);

  ecs::Registry& registry_;
  const NameTable& names_;
  PropertyTable table_;
  mutable core::Bytes computed_;  // last computed value
};

template <class T>
core::Result<std::size_t> Properties::get_column(const PropertyRef& property, std::span<const ecs::Entity> entities,
                                                 std::span<T> out) const {
  MOBULA_CHECK(out.size() == entities.size(), "a value for each entity");
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
  MOBULA_CHECK(values.size() == entities.size(), "a value for each entity");
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
    MOBULA_CHECK(done.ok(), "a computed property refuses what it had agreed to before another entity was set");
    count += done.ok();
  }
  return count;
}

}  // namespace mobula::index

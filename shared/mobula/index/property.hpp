// Property: a value of a component that is accessed by name, as in entity / "Fog" / "density".
// Paths:
// - "density", "position.x", "values[3]", "several[1].weight" are single values, with typed access.
// - "position", "values", "several", "several[1]" and "" (the component) are structs and arrays, accessed as JSON text
// only.
// - "several.weight" is the list of one field of each struct of an array.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/field_json.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>
#include <string_view>

namespace mobula::index {

/// Instance name of a component. The text, if known, is used in messages.
struct InstanceName {
  core::StringId32 id;
  std::string_view text;

  InstanceName(core::StringId32 name) : id(name) {}
  InstanceName(std::string_view name) : id(name), text(name) {}
  InstanceName(const char* name) : InstanceName(std::string_view(name)) {}
  InstanceName(const std::string& name) : InstanceName(std::string_view(name)) {}
};

/// A computed property of a component: not a field, but derived from fields.
struct ComputedProperty {
  // Path, kind, and further attributes of a field: range, values of an enum, size of a fixed string. Not an array.
  reflect::Field value;
  // Writes value.size bytes in the form of a field of this kind.
  void (*get)(const ecs::Registry&, ecs::Entity, const std::byte* component, std::byte* value) = nullptr;
  // Sets the property; null if it is read only. `value` has been checked against the field. Writes to `component` are
  // discarded if it returns an error.
  core::Status (*set)(const ecs::Registry&, ecs::Entity, std::byte* component, const std::byte* value) = nullptr;
};

/// One path of a component type, looked up once.
struct PropertyNode {
  std::string_view path;
  const reflect::Component* component = nullptr;
  const reflect::FieldNode* tree = nullptr;    // null if computed
  const reflect::Field* field = nullptr;       // null for a struct or an array of structs
  const ComputedProperty* computed = nullptr;  // null for a field or a struct
  const reflect::Field* array = nullptr;       // a field of the array that contains it; null without one

  /// Returns whether a set is refused. Requires a field.
  [[nodiscard]] bool read_only() const { return field->read_only || (computed != nullptr && computed->set == nullptr); }
};

/// A resolved property, for all entities that have this component under this name. Valid as long as the Properties that
/// resolved it. 24 bytes.
class PropertyRef {
 public:
  [[nodiscard]] ecs::PoolId pool() const { return pool_; }
  [[nodiscard]] const PropertyNode& node() const { return *node_; }
  /// Returns the field of the schema, null for a struct.
  [[nodiscard]] const reflect::Field* field() const { return node_->field; }
  /// Returns whether it is a single value, with typed access.
  [[nodiscard]] bool single() const {
    return node_->field != nullptr && (node_->array == nullptr || element_ != reflect::whole_array);
  }

 private:
  friend class Properties;
  PropertyRef(const PropertyNode& node, ecs::PoolId pool, std::uint32_t element);

  const PropertyNode* node_;
  ecs::PoolId pool_;
  std::uint32_t element_;     // element of an array; whole_array for the full array or no array
  std::uint32_t offset_ = 0;  // single value's offset within its component
};

/// Description of a property without its value.
struct PropertyInfo {
  PropertyRef property;
  std::string_view component;  // instance name
  std::string_view type;
  std::string_view path;
  const reflect::Field& field;  // kind, range, names of an enum, elements
  bool read_only;
  bool computed;
};

/// Returns a text such as "float32, -512 to 512 in steps of 0.01".
std::string describe_type(const reflect::Field& field);

/// Address of a property: HANDLE/COMPONENT/PATH, such as 12.1/Fog/density, or HANDLE/COMPONENT for the component.
struct PropertyAddress {
  ecs::Entity entity;
  std::string_view component;
  std::string_view path;
};

/// Parses an address. Errors: "bad address".
core::Result<PropertyAddress> parse_property_address(std::string_view text);

}  // namespace mobula::index

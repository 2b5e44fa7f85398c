// What a property is: a value of a component that tools and scripts reach by name, as in entity / "Fog" / "density".
//
// Paths: "density", "position.x", "values[3]", "several[1].weight" are single values, which can be had typed.
// "position", "values", "several", "several[1]" and "" (the component) are structs and arrays: those are text only.
// "several.weight" is the list of one field of each struct of an array.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/field_json.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>
#include <string_view>

namespace mobula::index {

// Of a component on an entity. The text, where there is one, is for messages.
struct InstanceName {
  core::StringId32 id;
  std::string_view text;

  InstanceName(core::StringId32 name) : id(name) {}
  InstanceName(std::string_view name) : id(name), text(name) {}
  InstanceName(const char* name) : InstanceName(std::string_view(name)) {}
  InstanceName(const std::string& name) : InstanceName(std::string_view(name)) {}
};

// A component's own accessor: a property that is no field, but made of them.
struct ComputedProperty {
  // Path, kind, and what else a field may say: range, values of an enum, size of a fixed string. No array.
  reflect::Field value;
  // Writes value.size bytes as a field of the kind has them.
  void (*get)(const ecs::Registry&, ecs::Entity, const std::byte* component, std::byte* value) = nullptr;
  // Null: read only. `value` has been checked against what the field says. Whatever it writes to `component` counts
  // only if it does not refuse.
  core::Status (*set)(const ecs::Registry&, ecs::Entity, std::byte* component, const std::byte* value) = nullptr;
};

// One path of a component type, looked up once.
struct PropertyNode {
  std::string_view path;
  const reflect::Component* component = nullptr;
  const reflect::FieldNode* tree = nullptr;    // null: computed
  const reflect::Field* field = nullptr;       // null: a struct, or an array of structs
  const ComputedProperty* computed = nullptr;  // null: a field or a struct
  const reflect::Field* array = nullptr;       // a field of the array that this is or lies in; null: of none

  [[nodiscard]] bool read_only() const { return field->read_only || (computed != nullptr && computed->set == nullptr); }
};

// A property found, for all entities that have this component under this name. Good as long as the Properties that
// resolved it. 24 bytes.
class PropertyRef {
 public:
  [[nodiscard]] ecs::PoolId pool() const { return pool_; }
  [[nodiscard]] const PropertyNode& node() const { return *node_; }
  // What the schema says of it; null of a struct.
  [[nodiscard]] const reflect::Field* field() const { return node_->field; }
  // One value, which can be had typed; else a struct or an array.
  [[nodiscard]] bool single() const {
    return node_->field != nullptr && (node_->array == nullptr || element_ != reflect::whole_array);
  }

 private:
  friend class Properties;
  PropertyRef(const PropertyNode& node, ecs::PoolId pool, std::uint32_t element);

  const PropertyNode* node_;
  ecs::PoolId pool_;
  std::uint32_t element_;     // of an array; whole_array: all of it, or no array
  std::uint32_t offset_ = 0;  // of a single field's value in its component
};

// What one can know of a property without its value.
struct PropertyInfo {
  PropertyRef property;
  std::string_view component;  // instance name
  std::string_view type;
  std::string_view path;
  const reflect::Field& field;  // kind, range, names of an enum, elements
  bool read_only;
  bool computed;
};

// "float32, -512 to 512 in steps of 0.01", for people.
std::string describe_type(const reflect::Field& field);

// HANDLE/COMPONENT/PATH, such as 12.1/Fog/density, or HANDLE/COMPONENT for all of it.
struct PropertyAddress {
  ecs::Entity entity;
  std::string_view component;
  std::string_view path;
};

// Reason: "bad address".
core::Result<PropertyAddress> parse_property_address(std::string_view text);

}  // namespace mobula::index

// JSON into the fields of one component: structs as objects or lists, arrays as lists, leaves checked against what
// the schema says of them. Whoever compiles a level and whoever sets a property comes through here.
#pragma once

#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/json_value.hpp>
#include <mobula/reflect/value.hpp>

namespace mobula::reflect {

// What writing may ask for, and tells its errors to.
class JsonContext {
 public:
  virtual ~JsonContext() = default;
  // Reasons: those of write_value, and "no such property".
  virtual void refuse(Place place, core::Error error) = 0;
  // Whether this field may be written now; if not, it has refused it.
  virtual bool writable(const Field& /*field*/, Place /*place*/) { return true; }
  // Whether a member that is no field has another meaning, and another reader.
  virtual bool passes(std::string_view /*member*/) { return false; }
  // A string_id's name and an entity's path belong to those who know names and entities.
  virtual void write_name(const Field& field, const JsonValue& value, std::byte* to) = 0;
  virtual void write_entity(const Field& field, std::uint32_t offset, const JsonValue& value, std::byte* to) = 0;
};

inline constexpr std::uint32_t whole_array = ~0u;

// Writes a node of the component's field tree into the component's bytes, as far as there is nothing to refuse.
// `element`: which of the array that the node is or lies in; whole_array: the node as a whole. Members that are not
// given stay as they are; a bounded array's count follows from the list, and what lies beyond it becomes the default.
void write_json(const Component& component, const FieldNode& node, std::uint32_t element, const JsonValue& value,
                std::byte* row, JsonContext& context);

}  // namespace mobula::reflect

// Writes JSON into the fields of one component: structs as objects or lists, arrays as lists. Leaves are checked
// against the schema. The level compiler and property writes share this code.
#pragma once

#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/json_value.hpp>
#include <mobula/reflect/value.hpp>

namespace mobula::reflect {

/// Callbacks of a write: errors, and values that need names or entities.
class JsonContext {
 public:
  virtual ~JsonContext() = default;
  /// Receives an error: one of write_value, or "no such property".
  virtual void refuse(Place place, core::Error error) = 0;
  /// Returns whether the field may be written; reports the refusal if not.
  virtual bool writable(const Field& /*field*/, Place /*place*/) { return true; }
  /// Returns whether a member that is not a field is read elsewhere.
  virtual bool passes(std::string_view /*member*/) { return false; }
  /// Resolves the name of a string_id.
  virtual void write_name(const Field& field, const JsonValue& value, std::byte* to) = 0;
  /// Resolves the path of an entity, whose handle belongs at `offset` of the component.
  virtual void write_entity(const Field& field, std::uint32_t offset, const JsonValue& value, std::byte* to) = 0;
};

inline constexpr std::uint32_t whole_array = ~0u;

/// Writes a node of the field tree into the component's bytes, up to the first refused value. `element` is the index in
/// the array that contains the node, or whole_array. Missing members stay unchanged. The count of a bounded array
/// follows from the list; elements beyond it get the default.
void write_json(const Component& component, const FieldNode& node, std::uint32_t element, const JsonValue& value,
                std::byte* row, JsonContext& context);

}  // namespace mobula::reflect

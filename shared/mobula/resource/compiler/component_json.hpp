// One component of a file in its source notation: the JSON that compile_fields reads, made from the bytes. Structs of
// x, y, z are lists. A bounded array's list determines the count.
#pragma once

#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/json_value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::resource {

/// Source of names and paths that the bytes of a component do not contain.
class FieldTexts {
 public:
  virtual ~FieldTexts() = default;
  /// Returns the text of a hashed name. Nothing if it is unknown, or hidden from a receiver of the field.
  virtual std::optional<std::string_view> name(core::StringId32 id, const reflect::Field& field) = 0;
  /// Returns the path to the entity whose handle belongs at `offset` of the component. Nothing if there is none.
  virtual std::optional<std::string> path(std::uint32_t offset) = 0;
};

/// Returns a JSON object. `tree` is the component's field_tree(). Fields that JSON cannot express, and counts, are
/// omitted.
reflect::JsonValue component_json(const reflect::Component& component, const reflect::FieldNode& tree,
                                  const std::byte* row, FieldTexts& texts);

/// Checks that compile_fields makes exactly these bytes of the JSON, padding included, and `references` references to
/// entities.
bool recompiles_to(const reflect::Component& component, const reflect::FieldNode& tree, const reflect::JsonValue& json,
                   const std::byte* row, std::size_t references);

}  // namespace mobula::resource

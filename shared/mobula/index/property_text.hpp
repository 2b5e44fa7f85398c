// Conversion of properties to and from JSON text.
#pragma once

#include <mobula/index/name_table.hpp>
#include <mobula/index/property.hpp>

namespace mobula::index {

/// Appends one value, given as the bytes of a field.
void append_json(const reflect::Field& field, const std::byte* at, const NameTable& names, std::string& out);
/// Appends a node of a component's field tree. `element` is the index in the array that contains the node.
void append_json(const reflect::Component& component, const reflect::FieldNode& node, std::uint32_t element,
                 const std::byte* row, const NameTable& names, std::string& out);

/// Parses one JSON value in UTF-8, without trailing text or repeated names. Errors: "not text".
core::Result<reflect::JsonValue> parse_json(std::string_view text);

/// Writes JSON into a copy of the component's bytes, up to the first refused value. Returns the first error.
core::Status write_text(const reflect::Component& component, const reflect::FieldNode& node, std::uint32_t element,
                        const reflect::JsonValue& value, const NameTable& names, std::byte* row);

core::Error read_only(const PropertyNode& node);

// Reason: "name collision".
core::Status check_name(const NameTable& names, std::string_view name);

}  // namespace mobula::index

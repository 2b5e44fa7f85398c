// Properties as JSON: fields to text, text to fields.
#pragma once

#include <mobula/index/name_table.hpp>
#include <mobula/index/property.hpp>

namespace mobula::index {

// One value as a field of its kind has it in memory.
void append_json(const reflect::Field& field, const std::byte* at, const NameTable& names, std::string& out);
// A node of a component's field tree. `element`: which of the array that the node is or lies in.
void append_json(const reflect::Component& component, const reflect::FieldNode& node, std::uint32_t element,
                 const std::byte* row, const NameTable& names, std::string& out);

// One JSON value in UTF-8, nothing after it, no name twice in an object. Reason: "not text".
core::Result<reflect::JsonValue> parse_json(std::string_view text);

// Into a copy of the component's bytes, as far as there is nothing to refuse; tells the first error.
core::Status write_text(const reflect::Component& component, const reflect::FieldNode& node, std::uint32_t element,
                        const reflect::JsonValue& value, const NameTable& names, std::byte* row);

core::Error read_only(const PropertyNode& node);

// Reason: "name collision".
core::Status check_name(const NameTable& names, std::string_view name);

}  // namespace mobula::index

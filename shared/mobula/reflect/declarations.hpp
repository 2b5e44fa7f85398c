// Declarations of a .bfbs as plain data: structs with fields by offset, enums by value. Every index, offset and size
// has been checked, and no struct contains itself, so that readers can trust them. Attributes are not interpreted here.
#pragma once

#include <map>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct DeclaredType {
  FieldKind scalar{};              // kind of scalars and enums
  std::int32_t struct_index = -1;  // in Declarations::structs
  std::int32_t enum_index = -1;    // in Declarations::enums
  std::uint32_t array_length = 0;  // 0 if it is not an array
  std::uint32_t element_size = 0;

  [[nodiscard]] std::uint32_t size() const { return element_size * (array_length == 0 ? 1 : array_length); }
};

struct DeclaredField {
  std::string name;
  DeclaredType type;
  std::uint32_t offset = 0;
  Attributes attributes;
};

struct DeclaredStruct {
  std::string full_name;  // "demo.Health"
  std::string file;       // "components.fbs"; empty if unknown
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::vector<DeclaredField> fields;  // by offset
  Attributes attributes;

  [[nodiscard]] std::string_view name() const;        // "Health"
  [[nodiscard]] std::string_view name_space() const;  // "demo"
};

struct DeclaredEnum {
  std::string full_name;
  std::string file;
  FieldKind underlying{};
  std::vector<EnumValue> values;  // by value

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::string_view name_space() const;
};

struct Declarations {
  std::vector<DeclaredStruct> structs;  // each after the structs it contains
  std::vector<DeclaredEnum> enums;
};

/// Returns the bytes of a scalar.
std::uint32_t scalar_size(FieldKind kind);

/// Reads a .bfbs. The bytes must be aligned to 8. Errors: "bad schema".
core::Result<Declarations> read_declarations(core::ByteView bfbs);

}  // namespace mobula::reflect

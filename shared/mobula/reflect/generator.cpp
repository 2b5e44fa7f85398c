#include <algorithm>
#include <array>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/reflect/cpp_names.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/generator.hpp>
#include <mobula/reflect/own_declarations.hpp>

namespace mobula::reflect {
namespace {

constexpr std::string_view engine_header = "mobula/schema/engine.hpp";

// Table by FieldKind, scalars only.
std::string_view scalar_name(FieldKind kind) {
  static const std::map<FieldKind, std::string_view> names{
      {FieldKind::boolean, "bool"},         {FieldKind::int8, "std::int8_t"},     {FieldKind::uint8, "std::uint8_t"},
      {FieldKind::int16, "std::int16_t"},   {FieldKind::uint16, "std::uint16_t"}, {FieldKind::int32, "std::int32_t"},
      {FieldKind::uint32, "std::uint32_t"}, {FieldKind::int64, "std::int64_t"},   {FieldKind::uint64, "std::uint64_t"},
      {FieldKind::float32, "float"},        {FieldKind::float64, "double"},
  };
  return names.at(kind);
}

template <class T>
std::string real_text(const std::byte* at, std::string_view suffix) {
  std::string text = core::format("{}", core::load<T>(at));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + std::string(suffix);
}

std::string scalar_text(FieldKind kind, const std::byte* at) {
  switch (kind) {
    case FieldKind::boolean: return core::load<std::uint8_t>(at) != 0 ? "true" : "false";
    case FieldKind::int8: return core::format("{}", int{core::load<std::int8_t>(at)});
    case FieldKind::uint8: return core::format("{}", int{core::load<std::uint8_t>(at)});
    case FieldKind::int16: return core::format("{}", core::load<std::int16_t>(at));
    case FieldKind::uint16: return core::format("{}", core::load<std::uint16_t>(at));
    case FieldKind::int32: return core::format("static_cast<std::int32_t>({:#x}u)", core::load<std::uint32_t>(at));
    case FieldKind::uint32: return core::format("{}u", core::load<std::uint32_t>(at));
    case FieldKind::int64: return core::format("static_cast<std::int64_t>({:#x}u)", core::load<std::uint64_t>(at));
    case FieldKind::uint64: return core::format("{}u", core::load<std::uint64_t>(at));
    case FieldKind::float32: return real_text<float>(at, "f");
    case FieldKind::float64: return real_text<double>(at, "");
    default: MOBULA_ASSERT(false, "not a scalar"); return {};
  }
}

std::string text_characters(const std::byte* at, std::uint32_t size) {
  std::string list;
  for (std::uint32_t i = 0; i < size && at[i] != std::byte{0}; ++i) {
    list += core::format("{}static_cast<char>({})", i == 0 ? "" : ", ", std::to_integer<int>(at[i]));
  }
  return "{" + list + "}";
}

// Names of field kinds in layouts, by FieldKind. Those of the web client are the same.
constexpr std::array<std::string_view, field_kind_count> layout_kinds{
    "bool",   "int8",    "uint8",   "int16",    "uint16", "int32", "uint32",  "int64",
    "uint64", "float32", "float64", "rotation", "entity", "text",  "stringId"};

// Returns the fields with kinds and places, as modules of rules and their hosts compare them.
std::string layout_of(const Component& component) {
  std::string text;
  for (const Field& field : component.fields) {
    text += core::format("{}{}:{}@{}", text.empty() ? "" : " ", field.path,
                         layout_kinds[static_cast<std::size_t>(field.kind)], field.offset);
    if (field.kind == FieldKind::fixed_string) text += core::format("+{}", field.size);
    if (field.count > 1) text += core::format("*{}/{}", field.count, field.stride);
  }
  return text;
}

// Writes enums, then structs, each behind those it contains.
class Generator {
 public:
  Generator(const Declarations& declarations, const OwnDeclarations& own, std::string_view include_path)
      : declarations_(declarations), own_(own), include_path_(include_path) {}

  core::Result<GeneratedCode> generate(core::ByteView bfbs) {
    std::string body;
    for (const DeclaredEnum* type : own_.enums) body += enum_text(*type);
    for (const DeclaredStruct* type : own_.structs) {
      core::Result<Component> described = describe(declarations_, *type);
      if (!described) return described.error();
      body += struct_text(*type, *described);
    }
    return GeneratedCode{header_text(body), source_text(bfbs)};
  }

 private:
  std::string name_space() const { return cpp_namespace(own_.name_space); }

  std::string type_name(std::string_view full_name, std::string_view file) const {
    const std::size_t dot = full_name.rfind('.');
    if (file == own_.file) return cpp_name(full_name.substr(dot + 1));
    return "::" + cpp_namespace(full_name);
  }

  const DeclaredStruct& struct_of(const DeclaredType& type) const {
    return declarations_.structs[static_cast<std::size_t>(type.struct_index)];
  }
  const DeclaredEnum& enum_of(const DeclaredType& type) const {
    return declarations_.enums[static_cast<std::size_t>(type.enum_index)];
  }

  std::string element_type(const DeclaredField& field) const {
    if (field.type.struct_index >= 0) {
      const DeclaredStruct& type = struct_of(field.type);
      if (type.full_name == entity_struct_name) return "::mobula::ecs::Entity";
      return type_name(type.full_name, type.file);
    }
    if (field.type.enum_index >= 0) return type_name(enum_of(field.type).full_name, enum_of(field.type).file);
    if (is_text(field)) return "char";
    if (is_string_id(field)) return "::mobula::core::StringId32";
    return std::string(scalar_name(field.type.scalar));
  }

  std::string value_text(const DeclaredField& field, const std::byte* at) const {
    if (is_text(field)) return text_characters(at, field.type.size());
    if (field.type.array_length == 0) return element_text(field, at);
    std::string list;
    for (std::uint32_t i = 0; i < field.type.array_length; ++i) {
      list += (i == 0 ? "" : ", ") + element_text(field, at + std::size_t{i} * field.type.element_size);
    }
    return "{{" + list + "}}";
  }

  std::string element_text(const DeclaredField& field, const std::byte* at) const {
    if (field.type.struct_index >= 0) return struct_value(struct_of(field.type), at);
    if (field.type.enum_index >= 0) return enum_value(field, at);
    if (is_string_id(field)) return core::format("::mobula::core::StringId32{{{}u}}", core::load<std::uint32_t>(at));
    return scalar_text(field.type.scalar, at);
  }

  std::string struct_value(const DeclaredStruct& type, const std::byte* at) const {
    if (type.full_name == entity_struct_name) return "{}";
    std::string list;
    for (const DeclaredField& field : type.fields) {
      list += core::format("{}.{} = {}", list.empty() ? "" : ", ", cpp_name(field.name),
                           value_text(field, at + field.offset));
    }
    return "{" + list + "}";
  }

  std::string enum_value(const DeclaredField& field, const std::byte* at) const {
    const DeclaredEnum& type = enum_of(field.type);
    for (const EnumValue& value : type.values) {
      if (std::memcmp(&value.value, at, field.type.element_size) == 0) {
        return type_name(type.full_name, type.file) + "::" + cpp_name(value.name);
      }
    }
    return "{}";
  }

  std::string enum_text(const DeclaredEnum& type) const {
    std::string text = core::format("enum class {} : {} {{\n", cpp_name(type.name()), scalar_name(type.underlying));
    for (const EnumValue& value : type.values) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&value.value);
      text += core::format("  {} = {},\n", cpp_name(value.name), scalar_text(type.underlying, bytes));
    }
    return text + "};\n\n";
  }

  static std::string constants_text(const DeclaredStruct& type, const Component& described) {
    if (!type.attributes.contains("component")) return {};
    std::string text = core::format("  static constexpr std::string_view component_name = \"{}\";\n", type.name());
    if (std::ranges::any_of(described.fields, &Field::predicted))
      text += "  static constexpr bool has_predicted_fields = true;\n";
    text += core::format("  static constexpr std::string_view component_layout = \"{}\";\n", layout_of(described));
    return text + "\n";
  }

  std::string struct_text(const DeclaredStruct& type, const Component& described) const {
    const core::ByteView default_value = described.default_value;
    const std::string name = cpp_name(type.name());
    std::string text = core::format("struct {} {{\n", name) + constants_text(type, described);
    std::uint32_t end = 0;
    unsigned paddings = 0;
    const auto pad_to = [&](std::uint32_t offset) {
      if (offset > end) text += core::format("  std::array<std::byte, {}> padding{}_{{}};\n", offset - end, paddings++);
      end = offset;
    };
    for (const DeclaredField& field : type.fields) {
      pad_to(field.offset);
      text += member_text(field, default_value);
      end = field.offset + field.type.size();
    }
    pad_to(type.size);
    text += core::format("\n  bool operator==(const {}&) const = default;\n}};\n", name);
    return text + layout_text(type) + "\n";
  }

  std::string member_text(const DeclaredField& field, core::ByteView default_value) const {
    const core::ByteView value = default_value.subspan(field.offset, field.type.size());
    const bool implied = std::ranges::equal(value, implied_value(field));
    std::string member = element_type(field);
    if (field.type.array_length > 0) member = core::format("std::array<{}, {}>", member, field.type.array_length);
    const std::string text = implied ? "{}" : value_text(field, value.data());
    const bool braced = text.front() == '{';
    return core::format("  {} {}{}{};\n", member, cpp_name(field.name), braced ? "" : " = ", text);
  }

  // Returns the member's value without an initialiser: a nested struct has defaults of its own.
  core::Bytes implied_value(const DeclaredField& field) const {
    core::Bytes value(field.type.size());
    if (field.type.struct_index < 0) return value;
    const core::Result<Component> inner = describe(declarations_, struct_of(field.type));
    if (!inner) return value;  // refused when it is generated
    for (std::size_t at = 0; at < value.size(); at += field.type.element_size) {
      std::ranges::copy(inner->default_value, value.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return value;
  }

  std::string layout_text(const DeclaredStruct& type) const {
    const std::string name = cpp_name(type.name());
    std::string text =
        core::format("static_assert(sizeof({0}) == {1} && alignof({0}) == {2});\n", name, type.size, type.alignment);
    for (const DeclaredField& field : type.fields) {
      text += core::format("static_assert(offsetof({}, {}) == {});\n", name, cpp_name(field.name), field.offset);
    }
    return text +
           core::format("static_assert(std::is_trivially_copyable_v<{0}> && std::is_standard_layout_v<{0}>);\n", name);
  }

  std::string header_text(const std::string& body) const {
    std::string text = core::format(
        "// Generated from {}: do not edit.\n"
        "// Plain structs, byte for byte what the schema says; padding is explicit and zero.\n"
        "#pragma once\n\n"
        "#include <array>\n#include <cstddef>\n#include <cstdint>\n"
        "#include <mobula/core/bytes.hpp>\n#include <mobula/core/string_id.hpp>\n#include <mobula/ecs/entity.hpp>\n",
        own_.file);
    if (!own_.is_engine()) text += core::format("#include <{}>\n", engine_header);
    text += core::format("#include <string_view>\n#include <type_traits>\n\nnamespace {} {{\n\n", name_space());
    if (own_.is_engine()) {
      text +=
          "// EntityRef is this handle.\n"
          "static_assert(sizeof(ecs::Entity) == 8 && alignof(ecs::Entity) == 4);\n"
          "static_assert(offsetof(ecs::Entity, index) == 0 && offsetof(ecs::Entity, generation) == 4);\n\n";
    }
    return text + body +
           core::format(
               "// The schema in FlatBuffers' binary form: its one source of truth at run time.\n"
               "::mobula::core::ByteView schema_bytes();\n\n}}  // namespace {}\n",
               name_space());
  }

  std::string source_text(core::ByteView bfbs) const {
    std::string text = core::format(
        "// Generated from {}: do not edit.\n#include <{}>\n\nnamespace {} {{\nnamespace {{\n\n"
        "alignas(8) constexpr unsigned char bytes[] = {{",
        own_.file, include_path_, name_space());
    for (std::size_t i = 0; i < bfbs.size(); ++i) {
      text += core::format("{}{},", i % 24 == 0 ? "\n    " : " ", std::to_integer<int>(bfbs[i]));
    }
    return text +
           core::format(
               "\n}};\n\n}}  // namespace\n\n"
               "::mobula::core::ByteView schema_bytes() {{ return ::mobula::core::as_bytes(bytes, sizeof(bytes)); "
               "}}\n\n}}  // namespace {}\n",
               name_space());
  }

  const Declarations& declarations_;
  const OwnDeclarations& own_;
  std::string include_path_;
};

}  // namespace

core::Result<GeneratedCode> generate_code(core::ByteView bfbs, std::string_view schema_name,
                                          std::string_view include_path) {
  const core::Result<GeneratorInput> input = read_generator_input(bfbs, schema_name);
  if (!input) return input.error();
  return Generator(input->declarations, input->own, include_path).generate(input->schema->bytes());
}

}  // namespace mobula::reflect

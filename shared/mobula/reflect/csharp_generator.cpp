#include <algorithm>
#include <array>
#include <map>
#include <mobula/core/base64.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/reflect/csharp_generator.hpp>
#include <mobula/reflect/csharp_names.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/own_declarations.hpp>

namespace mobula::reflect {
namespace {

// By FieldKind: the scalars of C#.
constexpr std::array<std::string_view, 11> csharp_scalars{"byte", "sbyte", "byte",  "short", "ushort", "int",
                                                          "uint", "long",  "ulong", "float", "double"};
// By FieldKind: the names in a layout.
constexpr std::array<std::string_view, field_kind_count> kind_names{
    "bool",   "int8",    "uint8",   "int16",      "uint16", "int32", "uint32", "int64",
    "uint64", "float32", "float64", "quaternion", "entity", "text",  "name"};

std::string_view csharp_scalar(FieldKind kind) { return csharp_scalars.at(static_cast<std::size_t>(kind)); }

// Returns the leaves of a component, as the library describes those that it reads from the server's schema.
std::string layout_text(const Component& component) {
  std::string text;
  for (const Field& field : component.fields) {
    text += core::format("{}{}:{}", text.empty() ? "" : " ", field.path,
                         kind_names.at(static_cast<std::size_t>(field.kind)));
    if (field.kind == FieldKind::fixed_string) text += core::format("[{}]", field.size);
    text += core::format("@{}", field.offset);
    if (field.count > 1) text += core::format("x{}/{}", field.count, field.stride);
  }
  return text;
}

// Returns a literal of several lines, which end at spaces where there are any.
std::string string_literal(std::string_view text, std::string_view indent) {
  constexpr std::size_t line_length = 100;
  std::string literal;
  while (text.size() > line_length) {
    const std::size_t space = text.rfind(' ', line_length - 1);
    const std::size_t length = space == std::string_view::npos ? line_length : space + 1;
    literal += core::format("\n{}\"{}\" +", indent, text.substr(0, length));
    text.remove_prefix(length);
  }
  return literal + core::format("\n{}\"{}\"", indent, text);
}

class CsharpGenerator {
 public:
  CsharpGenerator(const Declarations& declarations, const OwnDeclarations& own)
      : declarations_(declarations), own_(own), name_space_(csharp_namespace(own.name_space)) {
    for (const DeclaredEnum* type : own_.enums) type_names_[type->full_name] = types_.add(pascal_case(type->name()));
    for (const DeclaredStruct* type : own_.structs)
      type_names_[type->full_name] = types_.add(pascal_case(type->name()));
  }

  core::Result<std::string> generate(const Schema& schema) {
    std::string body = schema_text(schema);
    for (const DeclaredEnum* type : own_.enums) body += enum_text(*type);
    for (const DeclaredStruct* type : own_.structs) {
      const core::Result<Component> described = describe(declarations_, *type);
      if (!described) return described.error();
      body += struct_text(*type, *described);
    }
    body.pop_back();  // the empty line behind the last type
    return core::format(
        "// Generated from {}: do not edit.\n"
        "// Blittable structs, byte for byte what the schema declares. Padding is explicit and zero.\n"
        "#pragma warning disable 0169, 0414, 0649  // only the library writes padding and arrays\n\n"
        "namespace {} {{\n\n{}\n}}\n",
        own_.file, name_space_, body);
  }

 private:
  std::string schema_text(const Schema& schema) {
    const std::size_t dot = name_space_.rfind('.');
    const std::string name = types_.add(name_space_.substr(dot == std::string::npos ? 0 : dot + 1) + "Schema");
    return core::format(
        "  public static class {} {{\n"
        "    /// <summary>BLAKE2b-256 of the schema's binary form.</summary>\n"
        "    public const string Fingerprint =\n        \"{}\";\n\n"
        "    /// <summary>The schema in FlatBuffers' binary form, for ClientOptions.Schema.</summary>\n"
        "    public static readonly byte[] Bytes = global::System.Convert.FromBase64String({});\n"
        "  }}\n\n",
        name, core::to_string(schema.fingerprint()), string_literal(core::to_base64(schema.bytes()), "        "));
  }

  std::string enum_text(const DeclaredEnum& type) const {
    std::string text =
        core::format("  public enum {} : {} {{\n", type_names_.at(type.full_name), csharp_scalar(type.underlying));
    NameScope scope;
    for (const EnumValue& value : type.values) {
      const std::string name = scope.add(pascal_case(value.name));
      text += type.underlying == FieldKind::uint64
                  ? core::format("    {} = {},\n", name, static_cast<std::uint64_t>(value.value))
                  : core::format("    {} = {},\n", name, value.value);
    }
    return text + "  }\n\n";
  }

  // Returns the C# of a value of the field, or of an element if it is an array.
  std::string element_type(const DeclaredField& field) const {
    if (field.type.struct_index >= 0) {
      return type_name(declarations_.structs[static_cast<std::size_t>(field.type.struct_index)].full_name);
    }
    if (field.type.enum_index >= 0) {
      return type_name(declarations_.enums[static_cast<std::size_t>(field.type.enum_index)].full_name);
    }
    if (is_string_id(field)) return "global::Mobula.StringId";
    return std::string(csharp_scalar(field.type.scalar));
  }

  std::string type_name(const std::string& full_name) const {
    if (full_name == entity_struct_name) return "global::Mobula.Entity";
    const auto own = type_names_.find(full_name);
    if (own != type_names_.end()) return core::format("global::{}.{}", name_space_, own->second);
    const std::size_t dot = full_name.rfind('.');
    return core::format("global::{}.{}", csharp_namespace(full_name.substr(0, dot)),
                        pascal_case(full_name.substr(dot + 1)));
  }

  std::string struct_text(const DeclaredStruct& type, const Component& component) const {
    const std::string& name = type_names_.at(type.full_name);
    const bool is_component = type.attributes.contains("component");
    std::string text;
    if (is_component) {
      text += core::format("  [global::Mobula.Component(\"{}\", {},{})]\n", component.name, type.size,
                           string_literal(layout_text(component), "      "));
    }
    text += core::format(
        "  [global::System.Runtime.InteropServices.StructLayout(\n"
        "      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = {})]\n"
        "  public struct {} : {}global::System.IEquatable<{}> {{\n",
        type.size, name, is_component ? "global::Mobula.IComponent, " : "", name);
    text += members_text(type, name);
    if (std::ranges::any_of(component.default_value, [](std::byte each) { return each != std::byte{0}; })) {
      text += core::format(
          "\n    /// <summary>The value in a new component.</summary>\n"
          "    public static readonly {0} Default = global::Mobula.Blittable.FromHex<{0}>({1});\n",
          name, string_literal(core::to_hex(component.default_value), "        "));
    }
    return text +
           core::format(
               "\n    public bool Equals({0} other) {{ return global::Mobula.Blittable.Equal(ref this, ref other); }}\n"
               "    public override bool Equals(object other) {{ return other is {0} && Equals(({0})other); }}\n"
               "    public override int GetHashCode() {{ return global::Mobula.Blittable.Hash(ref this); }}\n"
               "  }}\n\n",
               name);
  }

  std::string members_text(const DeclaredStruct& type, const std::string& name) const {
    NameScope scope = struct_scope(name);
    std::string text, arrays;
    std::uint32_t end = 0;
    unsigned paddings = 0;
    const auto pad_to = [&](std::uint32_t offset) {
      for (; end < offset; ++end) text += core::format("    private byte padding{};\n", paddings++);
    };
    for (const DeclaredField& field : type.fields) {
      pad_to(field.offset);
      const std::string member = scope.add(pascal_case(field.name));
      if (is_text(field)) {
        const std::string bytes = scope.add(member + "Utf8");
        text += text_text(field, member, bytes);
        arrays += array_text(field, add_array(text, bytes, scope));
      } else if (field.type.array_length > 0) {
        arrays += array_text(field, add_array(text, member, scope));
      } else {
        text += is_bool(field) ? bool_text(member) : core::format("    public {} {};\n", element_type(field), member);
      }
      end = field.offset + field.type.size();
    }
    pad_to(type.size);
    return text + arrays;
  }

  static bool is_bool(const DeclaredField& field) {
    return field.type.scalar == FieldKind::boolean && field.type.struct_index < 0;
  }

  static std::string bool_text(const std::string& name) {
    return core::format(
        "    private byte raw{0};\n"
        "    public bool {0} {{\n"
        "      get {{ return raw{0} != 0; }}\n"
        "      set {{ raw{0} = value ? (byte)1 : (byte)0; }}\n"
        "    }}\n",
        name);
  }

  static std::string text_text(const DeclaredField& field, const std::string& name, const std::string& bytes) {
    return core::format(
        "    /// <summary>Text of at most {2} bytes of UTF-8; longer text is cut. Reading it makes a "
        "string.</summary>\n"
        "    public string {0} {{\n"
        "      get {{ return {1}.ToString(); }}\n"
        "      set {{ {1}.Set(value); }}\n"
        "    }}\n",
        name, bytes, field.type.size());
  }

  // Adds a member that is an array, and returns the name of its type.
  static std::string add_array(std::string& text, const std::string& member, NameScope& scope) {
    std::string type = scope.add(member + "Array");
    text += core::format("    public {} {};\n", type, member);
    return type;
  }

  // Returns a struct of the array's size, which has its first element as a member. C# makes its fixed buffers so.
  std::string array_text(const DeclaredField& field, const std::string& name) const {
    const bool boolean = is_bool(field);
    const std::string storage = element_type(field);
    std::string text = core::format(
        "\n    [global::System.Runtime.InteropServices.StructLayout(\n"
        "        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = {0})]\n"
        "    public struct {1} {{\n"
        "      private {2} first;\n"
        "      public int Length {{ get {{ return {3}; }} }}\n"
        "      public {4} this[int at] {{\n"
        "        get {{ return global::Mobula.Blittable.Get(ref first, {3}, at){5}; }}\n"
        "        set {{ global::Mobula.Blittable.Set(ref first, {3}, at, {6}); }}\n"
        "      }}\n",
        field.type.size(), name, storage, field.type.array_length, boolean ? "bool" : storage, boolean ? " != 0" : "",
        boolean ? "value ? (byte)1 : (byte)0" : "value");
    if (is_text(field)) {
      text += core::format(
          "      public override string ToString() {{ return global::Mobula.FixedText.Get(ref first, {0}); }}\n"
          "      public void Set(string text) {{ global::Mobula.FixedText.Set(ref first, {0}, text); }}\n",
          field.type.array_length);
    }
    return text + "    }\n";
  }

  const Declarations& declarations_;
  const OwnDeclarations& own_;
  std::string name_space_;
  NameScope types_;
  std::map<std::string, std::string, std::less<>> type_names_;  // by full name
};

}  // namespace

core::Result<std::string> generate_csharp(core::ByteView bfbs, std::string_view schema_name) {
  const core::Result<GeneratorInput> input = read_generator_input(bfbs, schema_name);
  if (!input) return input.error();
  return CsharpGenerator(input->declarations, input->own).generate(*input->schema);
}

}  // namespace mobula::reflect

#include <mobula/core/format.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/own_declarations.hpp>
#include <mobula/reflect/typescript_types.hpp>

namespace mobula::reflect {
namespace {

// Names that no type or constant of a module can have, and those that generated code itself uses.
constexpr std::string_view reserved_words =
    "any arguments as await bigint boolean break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof interface let mobula never new "
    "null number object package private protected public return schema static string super switch symbol this throw "
    "true try type typeof undefined Uint8Array unknown var void while with yield";

bool is_wide(FieldKind kind) { return kind == FieldKind::int64 || kind == FieldKind::uint64; }

}  // namespace

TypescriptTypes::TypescriptTypes(const Declarations& declarations, const Documentation& documentation)
    : declarations_(declarations), documentation_(documentation) {
  for (std::string_view rest = reserved_words; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    scope_.add(std::string(rest.substr(0, space)));
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
}

std::string TypescriptTypes::name_of(std::string_view full_name) {
  const auto known = names_.find(full_name);
  if (known != names_.end()) return known->second;
  std::string name = scope_.add(std::string(full_name.substr(full_name.rfind('.') + 1)));
  names_.emplace(full_name, name);
  return name;
}

std::string TypescriptTypes::element_type(const DeclaredField& field) {
  if (field.type.struct_index >= 0) {
    const DeclaredStruct& type = declarations_.structs[static_cast<std::size_t>(field.type.struct_index)];
    return is_entity(type) ? "mobula.Entity" : name_of(type.full_name);
  }
  if (field.type.enum_index >= 0) {
    return name_of(declarations_.enums[static_cast<std::size_t>(field.type.enum_index)].full_name);
  }
  if (is_text(field)) return "string";
  if (field.type.scalar == FieldKind::boolean) return "boolean";
  return is_wide(field.type.scalar) ? "bigint" : "number";
}

std::string TypescriptTypes::comment(std::string_view full_name, std::string_view indent) const {
  const auto found = documentation_.find(full_name);
  if (found == documentation_.end()) return "";
  std::string text;
  for (std::string line : found->second) {
    for (std::size_t at = line.find("*/"); at != std::string::npos; at = line.find("*/", at + 3))
      line.insert(at + 1, "\\");
    text += core::format("{}{}{}", text.empty() ? "" : "\n", text.empty() ? "" : core::format("{} * ", indent), line);
  }
  if (found->second.size() == 1) return core::format("{}/** {} */\n", indent, text);
  return core::format("{0}/**\n{0} * {1}\n{0} */\n", indent, text);
}

std::string TypescriptTypes::enum_text(const DeclaredEnum& type) {
  const std::string name = name_of(type.full_name);
  std::string text = comment(type.full_name, "") + core::format("export const {} = {{\n", name);
  for (const EnumValue& value : type.values) {
    text += comment(type.full_name + "." + value.name, "  ");
    text += core::format("  {}: {},\n", value.name, typescript_integer(type.underlying, value.value));
  }
  return text + core::format("}} as const;\nexport type {0} = keyof typeof {0};\n\n", name);
}

std::string TypescriptTypes::property(std::string_view owner, std::string_view name, std::string_view type) const {
  return comment(core::format("{}.{}", owner, name), "  ") + core::format("  readonly {}: {};\n", name, type);
}

std::string TypescriptTypes::interface_text(std::string_view full_name, std::string_view properties) {
  const std::string name = name_of(full_name);
  return comment(full_name, "") + core::format("export interface {} {{\n{}}}\n", name, properties);
}

bool is_array(const DeclaredField& field) { return field.type.array_length > 0 && !is_text(field); }

std::string typescript_integer(FieldKind kind, std::int64_t value) {
  if (kind == FieldKind::uint64) return core::format("{}n", static_cast<std::uint64_t>(value));
  return core::format("{}{}", value, is_wide(kind) ? "n" : "");
}

}  // namespace mobula::reflect

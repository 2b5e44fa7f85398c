#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/typescript_generator.hpp>
#include <mobula/reflect/typescript_messages.hpp>
#include <mobula/reflect/typescript_types.hpp>
#include <set>

namespace mobula::reflect {
namespace {

// Writes what clients receive: components, and the types that their fields have.
class ComponentsWriter {
 public:
  ComponentsWriter(const Declarations& declarations, const Documentation& documentation)
      : declarations_(declarations), types_(declarations, documentation) {}

  std::string write(const Schema& schema, std::string_view schema_name) {
    for (const DeclaredStruct& type : declarations_.structs) {
      if (type.attributes.contains("component") && is_sent(type)) use(type);
    }
    std::string text = core::format(
        "// Generated from {0}.fbs: do not edit.\nimport type * as mobula from \"@mobula/client\";\n\n"
        "export const schema: mobula.SchemaIdentity = {{\n  name: \"{0}\",\n  fingerprint: \"{1}\",\n}};\n\n",
        schema_name, core::to_string(schema.fingerprint()));
    for (const DeclaredEnum& type : declarations_.enums) {
      if (used_enums_.contains(&type)) text += types_.enum_text(type);
    }
    for (const DeclaredStruct& type : declarations_.structs) {
      if (used_structs_.contains(&type)) text += struct_text(type);
    }
    text.pop_back();  // the empty line behind the last type
    return text;
  }

 private:
  const DeclaredStruct* struct_of(const DeclaredField& field) const {
    return field.type.struct_index < 0 ? nullptr
                                       : &declarations_.structs[static_cast<std::size_t>(field.type.struct_index)];
  }

  // A struct of which nothing is sent has no value in the mirror.
  bool is_sent(const DeclaredField& field) const {
    if (field.attributes.contains("not_sent")) return false;
    const DeclaredStruct* inner = struct_of(field);
    return inner == nullptr || is_sent(*inner);
  }

  bool is_sent(const DeclaredStruct& type) const {
    return !type.attributes.contains("not_sent") &&
           std::ranges::any_of(type.fields, [this](const DeclaredField& field) { return is_sent(field); });
  }

  void use(const DeclaredStruct& type) {
    if (is_entity(type) || !used_structs_.insert(&type).second) return;
    for (const DeclaredField& field : type.fields) {
      if (!is_sent(field)) continue;
      if (const DeclaredStruct* inner = struct_of(field)) use(*inner);
      if (field.type.enum_index >= 0) {
        used_enums_.insert(&declarations_.enums[static_cast<std::size_t>(field.type.enum_index)]);
      }
    }
  }

  std::string struct_text(const DeclaredStruct& type) {
    std::string properties;
    for (const DeclaredField& field : type.fields) {
      if (!is_sent(field)) continue;
      const std::string element = types_.element_type(field);
      properties +=
          types_.property(type.full_name, field.name, is_array(field) ? "readonly " + element + "[]" : element);
    }
    std::string text = types_.interface_text(type.full_name, properties);
    if (type.attributes.contains("component")) {
      text += core::format("export const {0}: mobula.Component<{0}> = {{ key: \"{1}/{1}\", schema }};\n",
                           types_.name_of(type.full_name), type.name());
    }
    return text + "\n";
  }

  const Declarations& declarations_;
  TypescriptTypes types_;
  std::set<const DeclaredStruct*> used_structs_;
  std::set<const DeclaredEnum*> used_enums_;
};

}  // namespace

core::Result<std::string> generate_typescript(core::ByteView bfbs, core::ByteView commented,
                                              std::string_view schema_name) {
  // Loads the schema first: one that a server would refuse must not build.
  const auto schema = Schema::load(bfbs);
  if (!schema) return schema.error();
  const core::Result<Declarations> declarations = read_declarations((*schema)->bytes());
  if (!declarations) return declarations.error();
  const core::Result<Documentation> documentation = read_documentation(commented);
  if (!documentation) return documentation.error();
  const reflection::Schema& reflected = *reflection::GetSchema((*schema)->bytes().data());
  if (reflected.root_table() != nullptr) {
    return generate_typescript_messages(reflected, *declarations, *documentation, schema_name);
  }
  if ((*schema)->components().empty()) {
    return core::Error{"bad schema", "it has neither a component nor a root_type, so there is nothing to generate"};
  }
  return ComponentsWriter(*declarations, *documentation).write(**schema, schema_name);
}

}  // namespace mobula::reflect

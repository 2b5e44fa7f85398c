#include <mobula/core/format.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/own_declarations.hpp>
#include <optional>

namespace mobula::reflect {
namespace {

// Returns what is wrong with the place of a declaration. The first one of the own file sets the namespace.
std::optional<std::string> misplaced(OwnDeclarations& own, std::string_view full_name, std::string_view name_space,
                                     std::string_view file) {
  if (file == engine_file) return std::nullopt;
  if (file != own.file) {
    return core::format("{} is from \"{}\"; a schema is one file that may include engine.fbs, read from {}", full_name,
                        file, "a .bfbs made with --bfbs-filenames");
  }
  if (name_space.empty()) return core::format("{} is in no namespace", full_name);
  if (own.name_space.empty()) own.name_space = name_space;
  if (own.name_space != name_space) return own.file + " has more than one namespace";
  return std::nullopt;
}

std::optional<std::string> collect(const Declarations& declarations, OwnDeclarations& own) {
  for (const DeclaredEnum& type : declarations.enums) {
    if (type.file == own.file && !type.values.empty()) own.enums.push_back(&type);
    if (auto problem = misplaced(own, type.full_name, type.name_space(), type.file)) return problem;
  }
  for (const DeclaredStruct& type : declarations.structs) {
    const bool is_table = type.fields.empty();
    if (type.file == own.file && !is_table && type.full_name != entity_struct_name) own.structs.push_back(&type);
    if (auto problem = misplaced(own, type.full_name, type.name_space(), type.file)) return problem;
  }
  if (own.structs.empty() && own.enums.empty()) return "no struct or enum is declared in " + own.file;
  return std::nullopt;
}

}  // namespace

core::Result<GeneratorInput> read_generator_input(core::ByteView bfbs, std::string_view schema_name) {
  // Loads the schema first: one that a server would refuse must not build.
  auto schema = Schema::load(bfbs);
  if (!schema) return schema.error();
  core::Result<Declarations> declarations = read_declarations((*schema)->bytes());
  if (!declarations) return declarations.error();
  GeneratorInput input{std::move(*schema), std::move(*declarations), {}};
  input.own.file = std::string(schema_name) + ".fbs";
  if (input.own.is_engine()) input.own.name_space = "mobula.engine";
  if (auto problem = collect(input.declarations, input.own)) return core::Error{"bad schema", std::move(*problem)};
  return core::Result<GeneratorInput>(std::move(input));  // moved: `own` points into it
}

bool is_text(const DeclaredField& field) { return field.attributes.contains("fixed_string"); }
bool is_string_id(const DeclaredField& field) { return field.attributes.contains("string_id"); }

}  // namespace mobula::reflect

// Declarations that a generator of code writes: those of the schema's own file, in one namespace.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

inline constexpr std::string_view engine_file = "engine.fbs";

struct OwnDeclarations {
  std::string file;        // "components.fbs"
  std::string name_space;  // "demo"
  std::vector<const DeclaredEnum*> enums;
  std::vector<const DeclaredStruct*> structs;  // each after those it contains; without tables and EntityRef

  [[nodiscard]] bool is_engine() const { return file == engine_file; }
};

/// Schema of a generator, checked as a server checks it.
struct GeneratorInput {
  std::shared_ptr<const Schema> schema;
  Declarations declarations;
  OwnDeclarations own;  // points into `declarations`, whose arrays must not change
};

/// Reads the .bfbs of NAME.fbs. `schema_name` is NAME. Errors: "bad schema", also if a declaration is neither in
/// NAME.fbs nor in engine.fbs, or NAME.fbs has several namespaces or none.
core::Result<GeneratorInput> read_generator_input(core::ByteView bfbs, std::string_view schema_name);

/// Returns whether the field is text of a fixed size.
[[nodiscard]] bool is_text(const DeclaredField& field);
/// Returns whether the field is the hash of a name.
[[nodiscard]] bool is_string_id(const DeclaredField& field);

}  // namespace mobula::reflect

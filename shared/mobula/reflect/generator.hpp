// Generates C++ from a .bfbs: plain structs with the layout of pools, resources and saves. Equal bytes give equal text.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {

struct GeneratedCode {
  std::string header;
  std::string source;
};

/// Generates the structs declared in NAME.fbs itself; those of engine.fbs are included. `schema_name` is NAME,
/// `include_path` the path by which the header is included. Errors: "bad schema".
core::Result<GeneratedCode> generate_code(core::ByteView bfbs, std::string_view schema_name,
                                          std::string_view include_path);

}  // namespace mobula::reflect

// From a .bfbs to C++: plain structs that can be used as they lie in pools, blobs and saves.
// The same bytes always give the same text.
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

// Only what NAME.fbs itself declares is generated; what it has from engine.fbs is included.
// schema_name: NAME. include_path: as which the header will be included.
// Reason: "bad schema".
core::Result<GeneratedCode> generate_code(core::ByteView bfbs, std::string_view schema_name,
                                          std::string_view include_path);

}  // namespace mobula::reflect

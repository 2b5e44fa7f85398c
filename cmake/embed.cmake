# mobula_embed(target function ROOT folder FILES file...): the files become part of the program, byte by byte, and
# mobula::server::admin::FUNCTION() gives them. The assembler reads them; nothing is converted.
function(mobula_embed target function)
  cmake_parse_arguments(ARG "" "ROOT" "FILES" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  set(blobs "")
  set(symbols "")
  set(entries "")
  set(depends "")
  set(number 0)
  foreach(file ${ARG_FILES})
    set(symbol "mobula_${function}_${number}")
    string(APPEND blobs "asm(\".section .rodata\\n${symbol}:\\n.incbin \\\"${ARG_ROOT}/${file}\\\"\\n${symbol}_end:\\n.byte 0\\n.previous\\n\");\n")
    string(APPEND symbols "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
    string(APPEND entries "    {\"${file}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    list(APPEND depends ${ARG_ROOT}/${file})
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made by CMake of the files below @ARG_ROOT@.
#include <array>
#include <mobula/server/admin/documents.hpp>

@blobs@
extern \"C\" {
@symbols@}

namespace mobula::server::admin {

// NOLINTNEXTLINE(readability-function-size): a line per file
std::span<const EmbeddedFile> @function@() {
  static const std::array<EmbeddedFile, @number@> files{{
@entries@  }};
  return files;
}

}  // namespace mobula::server::admin
")
  # Compiled alone: one compiled with others would not be made anew when a file changes.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${depends}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()

# Rules that server and clients run, as a library and as a module of WebAssembly for browsers:
#
#   mobula_rules(skate_rules skate_rules.cpp RULES skate::rules)
#
# makes the library skate_rules and the file skate_rules.wasm.

if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/module/mobula/rules_module)  # an installed package
  set(MOBULA_MODULE_DIR ${CMAKE_CURRENT_LIST_DIR}/module CACHE INTERNAL "where the sources of modules are")
else()
  set(MOBULA_MODULE_DIR ${CMAKE_CURRENT_LIST_DIR}/../shared CACHE INTERNAL "where the sources of modules are")
endif()
# Sources that modules of rules are linked with. The linker drops what a module does not use.
set(MOBULA_MODULE_SOURCES
  mobula/core/random.cpp mobula/core/hash.cpp mobula/hierarchy/world_transform.cpp mobula/prediction/effect.cpp
  mobula/prediction/predicted_world.cpp mobula/prediction/step.cpp mobula/rules_module/failure.cpp
  mobula/rules_module/module.cpp mobula/rules_module/registry.cpp
  CACHE INTERNAL "sources of modules, relative to MOBULA_MODULE_DIR")
set(MOBULA_MODULE_FLAGS
  --target=wasm32-wasi -std=c++20 -Os -mbulk-memory -msign-ext -mnontrapping-fptoint -fno-exceptions -fno-rtti
  -ffp-contract=off -fno-fast-math -fno-math-errno -fno-threadsafe-statics -fno-c++-static-destructors
  -fvisibility=hidden -ffunction-sections -fdata-sections -Wno-unknown-warning-option
  CACHE INTERNAL "flags of the compiler of modules")

# mobula_rules(TARGET source... [RULES name] [MODULE file])
# Makes the static library TARGET of rules that clients predict, for the game's server and its client. Floats are computed
# alike on all processors and compilers: without fused multiply-add, and without the liberties of -ffast-math.
# RULES: the qualified name of the mobula::prediction::Rules. The target TARGET_module then makes a module of the same
# sources for the web client: MODULE, or TARGET.wasm in the build folder of the calling CMakeLists.txt. Its path is the
# target's property MOBULA_MODULE. Without the tools that it needs there is no such target.
function(mobula_rules target)
  cmake_parse_arguments(ARG "" "RULES;MODULE" "" ${ARGN})
  add_library(${target} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PUBLIC mobula::prediction)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-fast-math)
  if(ARG_MODULE AND NOT ARG_RULES)
    message(FATAL_ERROR "mobula_rules(${target}): MODULE needs RULES, the name of the rules")
  endif()
  if(ARG_RULES)
    mobula_find_module_tools()
    if(MOBULA_MODULE_TOOLS)
      mobula_rules_module(${target} "${ARG_RULES}" "${ARG_MODULE}" ${ARG_UNPARSED_ARGUMENTS})
    endif()
  endif()
endfunction()

# Sets MOBULA_MODULE_TOOLS: whether clang, lld and the headers of libc++ for wasm32 are there. If not, prints
# so. The next configuration looks for them again.
function(mobula_find_module_tools)
  get_property(sought GLOBAL PROPERTY MOBULA_MODULE_TOOLS_SOUGHT)
  if(MOBULA_MODULE_TOOLS OR sought)
    return()
  endif()
  set_property(GLOBAL PROPERTY MOBULA_MODULE_TOOLS_SOUGHT ON)
  find_program(MOBULA_MODULE_COMPILER NAMES clang++-19 clang++ NO_CMAKE_FIND_ROOT_PATH)
  find_program(MOBULA_MODULE_LINKER NAMES wasm-ld-19 wasm-ld NO_CMAKE_FIND_ROOT_PATH)
  find_path(MOBULA_XXHASH_DIR xxhash.h NO_CMAKE_FIND_ROOT_PATH)
  set(probe ${CMAKE_BINARY_DIR}/mobula_module_probe.cpp)
  file(WRITE ${probe} "#include <algorithm>\n#include <cmath>\n#include <span>\n#include <vector>\n")
  set(status missing)
  if(MOBULA_MODULE_COMPILER AND MOBULA_MODULE_LINKER AND MOBULA_XXHASH_DIR)
    execute_process(COMMAND ${MOBULA_MODULE_COMPILER} ${MOBULA_MODULE_FLAGS} -fsyntax-only ${probe}
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(status EQUAL 0)
    set(MOBULA_MODULE_TOOLS ON CACHE INTERNAL "modules of rules can be made")
  else()
    set(MOBULA_MODULE_TOOLS OFF CACHE INTERNAL "modules of rules can be made")
    unset(MOBULA_MODULE_COMPILER CACHE)  # it may be another clang++ than the one that is installed next
    unset(MOBULA_MODULE_LINKER CACHE)
    message(STATUS "Mobula: no modules of rules for browsers. They need clang-19, lld-19, libc++-19-dev-wasm32, "
                   "libc++abi-19-dev-wasm32, wasi-libc and libxxhash-dev")
  endif()
endfunction()

# Folder with the headers of FlatBuffers and xxHash alone, and of a Mobula in /usr. Those of the C library beside them
# are for another machine.
function(mobula_module_headers variable)
  set(dir ${CMAKE_BINARY_DIR}/mobula_module_headers)
  get_target_property(roots mobula::flatbuffers_headers INTERFACE_INCLUDE_DIRECTORIES)
  find_path(MOBULA_FLATBUFFERS_DIR flatbuffers/flatbuffers.h HINTS ${roots} NO_CMAKE_FIND_ROOT_PATH)
  if(NOT EXISTS ${dir}/flatbuffers)
    file(COPY ${MOBULA_FLATBUFFERS_DIR}/flatbuffers DESTINATION ${dir})
    file(COPY ${MOBULA_XXHASH_DIR}/xxhash.h DESTINATION ${dir})
  endif()
  foreach(root /usr/local/include /usr/include)
    if(EXISTS ${root}/mobula)  # each configuration copies what a newer package has changed
      file(COPY ${root}/mobula DESTINATION ${dir})
      break()
    endif()
  endforeach()
  set(${variable} ${dir} PARENT_SCOPE)
endfunction()

# mobula_module_source(object source target headers [flag...]): compiles one source of a target's module.
function(mobula_module_source object source target headers)
  set(includes "$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/(local/)?include/?$>")
  add_custom_command(
    OUTPUT ${object} DEPENDS ${source} ${target} DEPFILE ${object}.d VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${MOBULA_MODULE_COMPILER} ${MOBULA_MODULE_FLAGS} ${ARGN} -DXXH_INLINE_ALL
            -MD -MT ${object} -MF ${object}.d -I${MOBULA_MODULE_DIR}/mobula/rules_module/headers
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" -I${MOBULA_MODULE_DIR} -isystem ${headers}
            -c ${source} -o ${object}
    COMMENT "Compiling ${source} for ${target}.wasm")
endfunction()

function(mobula_rules_module target rules module)
  if(NOT module)
    set(module ${CMAKE_CURRENT_BINARY_DIR}/${target}.wasm)
  endif()
  string(REGEX MATCH "^(.*)::([^:]*)$" qualified "${rules}")
  if(NOT qualified)
    message(FATAL_ERROR "mobula_rules(${target}): RULES '${rules}' is not a name in a namespace, such as skate::rules")
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}_module)
  file(CONFIGURE OUTPUT ${dir}/rules_of_module.cpp @ONLY CONTENT [[
#include <mobula/rules_module/rules.hpp>
namespace @CMAKE_MATCH_1@ {
extern const mobula::prediction::Rules @CMAKE_MATCH_2@;
}
const mobula::prediction::Rules& mobula::rules_module::rules() { return @rules@; }
]])
  mobula_module_headers(headers)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(own ${MOBULA_MODULE_SOURCES})
  list(TRANSFORM own PREPEND ${MOBULA_MODULE_DIR}/)
  set(objects ${dir}/runtime.o)
  mobula_module_source(${dir}/runtime.o ${MOBULA_MODULE_DIR}/mobula/rules_module/runtime.cpp ${target} ${headers}
                       -fno-builtin)
  foreach(source ${sources} ${own} ${dir}/rules_of_module.cpp)
    get_filename_component(name ${source} NAME_WE)
    list(LENGTH objects number)  # two sources may have one name
    set(object ${dir}/${number}_${name}.o)
    mobula_module_source(${object} ${source} ${target} ${headers} -flto)
    list(APPEND objects ${object})
  endforeach()
  # At most 256 MiB: a module that allocates without end fails before it takes the page's memory.
  add_custom_command(
    OUTPUT ${module} DEPENDS ${objects} VERBATIM
    COMMAND ${MOBULA_MODULE_LINKER} --no-entry --gc-sections -O2 --lto-O2 --strip-all --compress-relocations
            -z stack-size=65536 --stack-first --max-memory=268435456 ${objects} -o ${module}
    COMMENT "Linking ${module}")
  add_custom_target(${target}_module ALL DEPENDS ${module})
  set_target_properties(${target} PROPERTIES MOBULA_MODULE ${module})
endfunction()

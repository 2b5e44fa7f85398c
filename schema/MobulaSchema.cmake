# Functions that turn schemas into code. A team calls them on its own files:
#
#   mobula_component_schema(my_schema monsters.fbs HEADER my/monsters.hpp CSHARP Monsters.cs TYPESCRIPT monsters.ts)
#   mobula_messages(my_messages commands.fbs TYPESCRIPT web)
#
# MobulaRules.cmake has a third one, for the rules that server and clients run.
#
# Available after find_package(mobula) and after add_subdirectory: engine.fbs is beside this file in both cases.

set(MOBULA_SCHEMA_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "where engine.fbs is")

# FlatBuffers of another machine has no compiler that runs here. This machine's is used.
if(NOT TARGET flatbuffers::flatc)
  find_program(MOBULA_FLATC flatc REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  add_executable(flatbuffers::flatc IMPORTED GLOBAL)
  set_target_properties(flatbuffers::flatc PROPERTIES IMPORTED_LOCATION ${MOBULA_FLATC})
endif()

# FlatBuffers' headers: the code that flatc generates needs no library.
if(NOT TARGET mobula::flatbuffers_headers)
  add_library(mobula::flatbuffers_headers INTERFACE IMPORTED GLOBAL)
  get_target_property(mobula_flatbuffers_include flatbuffers::flatbuffers INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(mobula::flatbuffers_headers SYSTEM INTERFACE ${mobula_flatbuffers_include})
endif()

# mobula_component_schema(TARGET file.fbs HEADER path.hpp [CSHARP path.cs] [TYPESCRIPT path.ts])
# Makes the static library TARGET: plain structs of the schema's components, included as <path.hpp>, and schema_bytes()
# in the schema's namespace. NAME.fbs also becomes TARGET/NAME.bfbs for tools, in the build folder of the calling
# CMakeLists.txt.
# CSHARP: also writes the components as structs of C# for client/csharp. TYPESCRIPT: also writes them as types for
# client/web. A relative path is one below TARGET/ in that build folder. An absolute one may be in the project of an engine
# or a page.
# The schema is one file, which may include engine.fbs. It is compiled from a copy beside engine.fbs, because the .bfbs
# must not contain paths of source trees: its bytes are the schema's identity.
function(mobula_component_schema target file)
  cmake_parse_arguments(ARG "" "HEADER;CSHARP;TYPESCRIPT" "" ${ARGN})
  if(NOT ARG_HEADER)
    message(FATAL_ERROR "mobula_component_schema(${target} ${file}): HEADER is missing")
  endif()
  get_filename_component(name ${file} NAME_WE)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(include ${CMAKE_CURRENT_BINARY_DIR}/include)
  set(header ${include}/${ARG_HEADER})
  set(csharp)
  set(csharp_option)
  if(ARG_CSHARP)
    cmake_path(ABSOLUTE_PATH ARG_CSHARP BASE_DIRECTORY ${dir} OUTPUT_VARIABLE csharp)
    set(csharp_option --csharp ${csharp})
  endif()
  set(typescript)
  if(ARG_TYPESCRIPT)
    cmake_path(ABSOLUTE_PATH ARG_TYPESCRIPT BASE_DIRECTORY ${dir} OUTPUT_VARIABLE typescript)
    mobula_typescript(${dir}/${name}.fbs ${typescript} ${dir}/${name}.bfbs ${dir}/engine.fbs)
  endif()
  configure_file(${MOBULA_SCHEMA_DIR}/engine.fbs ${dir}/engine.fbs COPYONLY)
  if(NOT name STREQUAL "engine")
    configure_file(${file} ${dir}/${name}.fbs COPYONLY)
  elseif(NOT CMAKE_CURRENT_SOURCE_DIR STREQUAL MOBULA_SCHEMA_DIR)
    message(FATAL_ERROR "mobula_component_schema(${target} ${file}): engine.fbs is Mobula's own, call yours otherwise")
  endif()
  add_custom_command(
    OUTPUT ${dir}/${name}.bfbs ${dir}/${name}.cpp ${header} ${csharp}
    COMMAND flatbuffers::flatc --binary --schema --bfbs-filenames ${dir} -o ${dir} ${dir}/${name}.fbs
    COMMAND mobula::mobula-schema-gen ${dir}/${name}.bfbs --include ${ARG_HEADER} --header ${header}
            --source ${dir}/${name}.cpp ${csharp_option}
    DEPENDS ${dir}/${name}.fbs ${dir}/engine.fbs mobula::mobula-schema-gen
    COMMENT "Generating <${ARG_HEADER}> from ${name}.fbs"
    VERBATIM)
  add_library(${target} STATIC ${dir}/${name}.cpp ${header} ${typescript})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include}>)
  target_link_libraries(${target} PUBLIC mobula::ecs)
  if(NOT name STREQUAL "engine")
    target_link_libraries(${target} PUBLIC mobula::schema_engine)
  endif()
endfunction()

# mobula_typescript(file.fbs file.ts file.bfbs dependency...)
# Writes types for client/web from a schema in binary form. The comments are those of a second form, because those of
# components are not part of a schema's identity.
function(mobula_typescript file typescript bfbs)
  get_filename_component(dir ${bfbs} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  add_custom_command(
    OUTPUT ${typescript}
    COMMAND flatbuffers::flatc --binary --schema --bfbs-comments -I ${MOBULA_SCHEMA_DIR} -o ${dir}/comments ${file}
    COMMAND mobula::mobula-schema-gen ${bfbs} --typescript ${typescript} --comments ${dir}/comments/${name}.bfbs
    DEPENDS ${bfbs} ${file} ${ARGN} mobula::mobula-schema-gen
    COMMENT "Generating ${name}.ts"
    VERBATIM)
endfunction()

# mobula_messages(TARGET file.fbs... [TYPESCRIPT dir])
# Makes the INTERFACE library TARGET: FlatBuffers' own C++ of tables and structs for messages and files, included as
# <mobula/schema/NAME_generated.h>. The files of one call may include each other. The headers are system headers, so
# that compiler warnings do not apply to flatc's code. NAME.fbs also becomes TARGET/NAME.bfbs, in the build folder of the
# calling CMakeLists.txt: clients in C, Python and C# make commands from JSON by it.
# TYPESCRIPT: also writes NAME.ts for client/web into a folder. A relative one is below TARGET/ in that build folder.
function(mobula_messages target)
  cmake_parse_arguments(ARG "" "TYPESCRIPT" "" ${ARGN})
  set(root ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(made)
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]" OUTPUT_VARIABLE files)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    set(header ${root}/mobula/schema/${name}_generated.h)
    add_custom_command(
      OUTPUT ${header} ${root}/${name}.bfbs
      COMMAND flatbuffers::flatc --cpp --scoped-enums -I ${MOBULA_SCHEMA_DIR} -o ${root}/mobula/schema ${file}
      COMMAND flatbuffers::flatc --binary --schema -I ${MOBULA_SCHEMA_DIR} -o ${root} ${file}
      DEPENDS ${files}
      COMMENT "Generating <mobula/schema/${name}_generated.h>"
      VERBATIM)
    list(APPEND made ${header} ${root}/${name}.bfbs)
    if(ARG_TYPESCRIPT)
      cmake_path(ABSOLUTE_PATH ARG_TYPESCRIPT BASE_DIRECTORY ${root} OUTPUT_VARIABLE dir)
      mobula_typescript(${file} ${dir}/${name}.ts ${root}/${name}.bfbs ${files})
      list(APPEND made ${dir}/${name}.ts)
    endif()
  endforeach()
  add_custom_target(${target}_headers DEPENDS ${made})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_headers)
  target_include_directories(${target} SYSTEM INTERFACE $<BUILD_INTERFACE:${root}>)
  target_link_libraries(${target} INTERFACE mobula::flatbuffers_headers)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/MobulaRules.cmake)

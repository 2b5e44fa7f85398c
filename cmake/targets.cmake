# Functions that make all targets: libraries, programs and tests.

# An #include is a path of the tree: each top-level folder is a root, shared/mobula/core/log.hpp is <mobula/core/log.hpp>.
function(mobula_include_root target)
  file(RELATIVE_PATH top ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" top ${top})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${top}>)
endfunction()

# mobula_own_code(target [kind]): flags of our own code, never of our users': warnings are errors, but not in a build of
# theirs, whose compiler may know others; and the arithmetic is the same on every compiler and preset. KIND is that of
# mobula_precompile.
function(mobula_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
                         $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
  # Packages name no folder of the machine that built them: the same sources give the same bytes anywhere.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
  get_target_property(type ${target} TYPE)
  if(MOBULA_CLIENT_ONLY AND NOT MOBULA_CLIENT_SUITES AND NOT type STREQUAL EXECUTABLE)  # programs are tools and tests
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  # g++ 12 sees overlaps and overlong copies in std::string that are not there (GCC bug 105651 and its like); with a
  # precompiled header it also reports them in the standard library. clang checks the same code.
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
  if(CMAKE_UNITY_BUILD)
    # Sources that are built together are included, and g++ takes their anonymous namespaces for a header's.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  if(MOBULA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${MOBULA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    if(MOBULA_SANITIZE MATCHES undefined)
      target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/not_sanitized.txt>)
    endif()
    # Public, since an archive that is instrumented can be linked in no other way, by users neither.
    target_link_options(${target} PUBLIC -fsanitize=${MOBULA_SANITIZE})
    if(MOBULA_SANITIZE MATCHES thread)
      # clang's own operator new gives way to that of a test, which counts.
      target_link_options(${target} PUBLIC $<$<CXX_COMPILER_ID:Clang>:LINKER:-z,muldefs>)
    endif()
  endif()
  mobula_precompile(${target} ${ARGN})
endfunction()

# Kinds of code, by how it is compiled in Debug, and a precompiled header for each:
#
#   hot        (default) optimised
#   cold       not optimised, which compiles twice as fast: code that no tick runs through
#   test       cold, and includes gtest
#   game_test  test, and includes a server and its clients; for clang only, with others the same as test
#
# Headers that nearly every source includes are parsed once per kind. Only in presets that compile sources together: in
# the others each source still compiles alone.
function(mobula_precompile target)
  set(kind ${ARGN})
  if(NOT kind)
    set(kind hot)
  elseif(NOT kind STREQUAL hot)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  endif()
  if(kind STREQUAL game_test AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    set(kind test)
  endif()
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  if(kind STREQUAL cold AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    set(kind hot)  # the same flags
  endif()
  # No timestamps, which ccache would take for changes.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  set(owner mobula_precompiled_${kind})
  if(target STREQUAL owner)
    return()
  endif()
  if(NOT TARGET ${owner})
    mobula_precompiled(${owner} ${kind})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(kind STREQUAL game_test)
    target_link_libraries(${target} PRIVATE ${owner}_code)
  endif()
endfunction()

# The target that a kind's header is compiled for. It has no macros that others lack, for which g++ would refuse it.
function(mobula_precompiled owner kind)
  set(headers <algorithm> <array> <charconv> <chrono> <cmath> <cstring> <fstream> <functional> <map> <memory> <numeric>
              <optional> <set> <span> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h>)
  set(libraries $<IF:$<BOOL:${MOBULA_CLIENT_ONLY}>,fmt::fmt-header-only,fmt::fmt>)
  if(kind MATCHES test)
    list(PREPEND headers <gmock/gmock.h> <gtest/gtest.h> <filesystem>)  # has a std::quoted, as sources of ours have
    list(APPEND libraries GTest::gmock)
  endif()
  if(kind STREQUAL game_test)
    list(APPEND headers <server/hamlet.hpp>)
    list(APPEND libraries mobula_test_hamlet)
  endif()
  set(source ${PROJECT_BINARY_DIR}/${owner}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing: its target has a precompiled header.\n")
  add_library(${owner} OBJECT ${source})
  target_compile_features(${owner} PUBLIC cxx_std_20)
  target_link_libraries(${owner} PRIVATE ${libraries})
  target_precompile_headers(${owner} PRIVATE ${headers})
  mobula_own_code(${owner} ${kind})
  if(kind STREQUAL game_test)
    mobula_precompiled_code(${owner} ${libraries})
  endif()
endfunction()

# mobula_precompiled_code(owner library...): the library OWNER_code with the functions that OWNER's header defines, which
# clang then compiles once, and not in each source that uses them.
function(mobula_precompiled_code owner)
  target_compile_options(${owner} PRIVATE -fpch-codegen -fpch-debuginfo)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${owner}.dir/cmake_pch.hxx.pch)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${owner}.o)
  string(TOUPPER CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE} flags)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${${flags}}")
  add_custom_command(OUTPUT ${object} DEPENDS ${header} VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} $<FILTER:$<TARGET_PROPERTY:${owner},COMPILE_OPTIONS>,EXCLUDE,^SHELL>
            -Wno-unused-command-line-argument -c ${header} -o ${object})  # a precompiled header needs no -stdlib
  add_library(${owner}_code STATIC ${object})
  set_target_properties(${owner}_code PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${owner}_code PRIVATE ${ARGN})
  # Some of the functions call others that their library lacks, such as gtest's of char8_t. Nothing calls these.
  target_link_options(${owner}_code INTERFACE LINKER:--gc-sections)
endfunction()

# mobula_library(name SOURCES file... [HEAVY file...] [LINK target...] [PRIVATE_LINK target...] [BUILD_LINK target...]
#                [COLD | COLD_IN_DEBUG])
# makes the target mobula_NAME, alias mobula::NAME. Targets that link it link LINK and PRIVATE_LINK too. BUILD_LINK has
# headers that only its own sources include; users of an installed package do not need them. COLD: its kind is cold,
# and Release optimises it a little, which takes two thirds of the time. COLD_IN_DEBUG: ticks run through it, but tests
# spend little time in it. HEAVY: sources that are mostly other people's templates; see mobula_heavy.
function(mobula_library name)
  cmake_parse_arguments(ARG "COLD;COLD_IN_DEBUG" "" "SOURCES;HEAVY;LINK;PRIVATE_LINK;BUILD_LINK" ${ARGN})
  set(target mobula_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(mobula::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  mobula_include_root(${target})
  target_link_libraries(${target} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  foreach(headers ${ARG_BUILD_LINK})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${headers}>)
  endforeach()
  set(kind hot)
  if(ARG_COLD OR ARG_COLD_IN_DEBUG)
    set(kind cold)
  endif()
  mobula_own_code(${target} ${kind})
  if(ARG_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(CMAKE_UNITY_BUILD AND CMAKE_BUILD_TYPE STREQUAL Release)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 5)  # g++ inlines less in larger units
  endif()
  if(ARG_HEAVY)
    mobula_heavy(${target} SOURCES ${ARG_HEAVY} LINK ${ARG_LINK} ${ARG_PRIVATE_LINK} ${ARG_BUILD_LINK})
  endif()
endfunction()

# mobula_heavy(target SOURCES file... LINK target...): adds sources to a library or program that are mostly other
# people's templates, and that no tick runs through. They are cold, in Release optimised a little, and all
# compiled together, so that the templates are instantiated once.
function(mobula_heavy target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${target}_heavy OBJECT ${ARG_SOURCES})
  set_target_properties(${target}_heavy PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  target_compile_features(${target}_heavy PRIVATE cxx_std_20)
  mobula_include_root(${target}_heavy)
  target_link_libraries(${target}_heavy PRIVATE ${ARG_LINK})
  target_compile_definitions(${target}_heavy PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  mobula_own_code(${target}_heavy cold)
  target_compile_options(${target}_heavy PRIVATE $<$<CONFIG:Debug>:-g1> $<$<CONFIG:Release>:-O1>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_heavy>)
endfunction()

# mobula_program(name [SOURCES file...] [HEAVY file...] [LINK target...]): an executable in bin/, alias mobula::NAME. Its
# own sources are cold.
function(mobula_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEAVY;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  add_executable(mobula::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)  # names in the backtrace of a failed check
  target_link_options(${name} PRIVATE LINKER:-z,relro,-z,now)  # no table of functions stays writable
  mobula_include_root(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  mobula_own_code(${name} cold)
  if(ARG_HEAVY)
    mobula_heavy(${name} SOURCES ${ARG_HEAVY} LINK ${ARG_LINK})
  endif()
endfunction()

# mobula_tests(folder SOURCES file... [OPTIMISED file...] [LINK target...] [END_TO_END]): tests/FOLDER as
# one program, one ctest entry per suite, FOLDER/SUITE. The tested libraries are optimised. Tests are not, which halves
# their build time, except those in OPTIMISED, which compute much. END_TO_END: has threads, sockets or several processes;
# ./dev test tsan runs it too. Sources are compiled together: names that others have too stand in a namespace named
# after the file.
function(mobula_tests folder)
  cmake_parse_arguments(ARG "END_TO_END" "" "SOURCES;OPTIMISED;LINK" ${ARGN})
  set(program ${folder}_tests)
  add_executable(${program} ${ARG_SOURCES} ${ARG_OPTIMISED})
  mobula_include_root(${program})
  target_link_libraries(${program} PRIVATE ${ARG_LINK} mobula_fresh_log GTest::gmock_main)
  target_compile_definitions(${program} PRIVATE MOBULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                MOBULA_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(mobula_test_hamlet IN_LIST ARG_LINK)
    mobula_own_code(${program} game_test)
  else()
    mobula_own_code(${program} test)
  endif()
  target_compile_options(${program} PRIVATE $<$<CONFIG:Debug>:-g1>)  # lines for stack traces
  # g++ takes the else within gtest's macros for one of a test's own, and initialised variables for others.
  target_compile_options(${program} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-else;-Wno-maybe-uninitialized>")
  set_source_files_properties(${ARG_OPTIMISED} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Debug>:-O1>"
                              SKIP_PRECOMPILE_HEADERS ON)
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${program} PRIVATE -Wno-shadow)  # names of other sources are shadowed
  endif()
  add_dependencies(quick ${program})
  set(properties TIMEOUT 540)
  if(ARG_END_TO_END)
    list(APPEND properties LABELS end_to_end)
    add_dependencies(end_to_end ${program})
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${program}.cmake)
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [[
include("@PROJECT_SOURCE_DIR@/cmake/discover_suites.cmake")
mobula_discover_suites(@folder@ PROGRAM "@CMAKE_RUNTIME_OUTPUT_DIRECTORY@/@program@" LIST "@CMAKE_RUNTIME_OUTPUT_DIRECTORY@/@program@.list"
                       RUNNER "@PROJECT_SOURCE_DIR@/tests/run_suite.sh" PROPERTIES @properties@)
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# How every target of ours is made: one way to be a library, a program, a test.

# An #include is a path of the tree: each top-level folder is a root, shared/mobula/core/log.hpp is <mobula/core/log.hpp>.
function(mobula_include_root target)
  file(RELATIVE_PATH top ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" top ${top})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${top}>)
endfunction()

# Flags of our own code, never of our users': warnings are errors, but not in a build of theirs, whose compiler may
# know others; and the arithmetic is the same on every compiler and preset.
function(mobula_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
                         $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
  # g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(CMAKE_UNITY_BUILD)
    # Sources that are built together are included, and g++ takes their anonymous namespaces for a header's.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  if(MOBULA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${MOBULA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    # Public, since an archive that is instrumented can be linked in no other way, by users neither.
    target_link_options(${target} PUBLIC -fsanitize=${MOBULA_SANITIZE})
    if(MOBULA_SANITIZE MATCHES thread)
      # clang's own operator new gives way to that of a test, which counts.
      target_link_options(${target} PUBLIC $<$<CXX_COMPILER_ID:Clang>:LINKER:-z,muldefs>)
    endif()
  endif()
endfunction()

# Sources that are mostly other people's templates: in Debug with lines alone for stack traces and not optimised, which
# builds them three times as fast.
function(mobula_heavy_sources)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Debug>:-O0;-g1>")
endfunction()

# mobula_library(name SOURCES file... [LINK target...] [PRIVATE_LINK target...] [BUILD_LINK target...])
# makes the target mobula_NAME, alias mobula::NAME. Whoever links it links LINK and PRIVATE_LINK too; BUILD_LINK is
# headers that only its own sources include, which users of an installed package need not have.
function(mobula_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK;BUILD_LINK" ${ARGN})
  add_library(mobula_${name} STATIC ${ARG_SOURCES})
  add_library(mobula::${name} ALIAS mobula_${name})
  set_target_properties(mobula_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(mobula_${name} PUBLIC cxx_std_20)
  mobula_include_root(mobula_${name})
  target_link_libraries(mobula_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  foreach(headers ${ARG_BUILD_LINK})
    target_link_libraries(mobula_${name} PRIVATE $<BUILD_INTERFACE:${headers}>)
  endforeach()
  mobula_own_code(mobula_${name})
endfunction()

# mobula_program(name SOURCES file... [LINK target...]): an executable in bin/, alias mobula::NAME.
function(mobula_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  add_executable(mobula::${name} ALIAS ${name})
  mobula_include_root(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  mobula_own_code(${name})
endfunction()

# What nearly every test includes is read once, for the first of these targets. Without times in it, which ccache would
# take for changes.
function(mobula_precompile target)
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  get_property(first GLOBAL PROPERTY MOBULA_PRECOMPILED)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <filesystem> <fstream>
                              <functional> <map> <memory> <numeric> <optional> <set> <span> <string> <thread> <vector>)
    set_property(GLOBAL PROPERTY MOBULA_PRECOMPILED ${target})
  endif()
endfunction()

# mobula_tests(folder SOURCES file... [OPTIMISED file...] [ALONE file...] [LINK target...] [END_TO_END]): tests/FOLDER as
# one program, one ctest entry per test. What is tested is optimised; its tests are built twice as fast without, but for
# those that compute much. ALONE: never compiled together with others (CMAKE_UNITY_BUILD), since names of theirs are
# names of others too. END_TO_END: it has threads, sockets or several processes, and is run by ./dev test tsan too.
function(mobula_tests folder)
  cmake_parse_arguments(ARG "END_TO_END" "" "SOURCES;OPTIMISED;ALONE;LINK" ${ARGN})
  add_executable(${folder}_tests ${ARG_SOURCES} ${ARG_OPTIMISED} ${ARG_ALONE})
  mobula_include_root(${folder}_tests)
  target_link_libraries(${folder}_tests PRIVATE ${ARG_LINK} GTest::gmock_main)
  target_compile_definitions(${folder}_tests PRIVATE MOBULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                     MOBULA_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  mobula_own_code(${folder}_tests)
  target_compile_options(${folder}_tests PRIVATE $<$<CONFIG:Debug>:-O0 -g1>)  # lines for stack traces
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    mobula_precompile(${folder}_tests)
  endif()
  set_source_files_properties(${ARG_OPTIMISED} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Debug>:-O1>"
                              SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${folder}_tests PRIVATE -Wno-shadow)  # of another source's names
  endif()
  set(properties TIMEOUT 300)
  if(ARG_END_TO_END)
    list(APPEND properties LABELS end_to_end)
    add_dependencies(end_to_end ${folder}_tests)
  endif()
  gtest_discover_tests(${folder}_tests TEST_PREFIX ${folder}/ DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()

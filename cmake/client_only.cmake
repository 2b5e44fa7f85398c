# The client core alone: the rooms that a client in an engine needs. Besides a C++ compiler it takes libsodium and the
# headers of FlatBuffers, fmt, nlohmann-json and xxHash. The tools flatc and mobula-schema-gen run on the building machine.
# The second is built too, with CLI11's headers, unless MOBULA_SCHEMA_GEN is its path. Included by CMakeLists.txt with
# MOBULA_CLIENT_ONLY.
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)

include(cmake/targets.cmake)
include(schema/MobulaSchema.cmake)

foreach(folder core ecs reflect)
  add_subdirectory(shared/mobula/${folder})
endforeach()
add_subdirectory(schema)
foreach(folder hierarchy index resource wire prediction transport)
  add_subdirectory(shared/mobula/${folder})
endforeach()
add_subdirectory(shared/examples/demo/rules)
foreach(room mirror connection prediction)
  add_subdirectory(client/mobula/client/${room})
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/client/c/CMakeLists.txt)
  add_subdirectory(client/c)
endif()
if(MOBULA_INSTALL)
  include(cmake/client_package.cmake)
  mobula_install_client(mobula ${CMAKE_INSTALL_LIBDIR})
endif()
if(MOBULA_TESTS)
  enable_testing()
  add_custom_target(quick)  # built by ./dev test
  add_subdirectory(tests/client_core)
endif()
if(MOBULA_CLIENT_SUITES)
  include(cmake/client_suites.cmake)
endif()

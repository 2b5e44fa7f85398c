# Files that `cmake --install` installs, in three components. The packages can be moved: they have no path of the build or
# of the installation.
#
#   mobula-programs     server, client and tools
#   mobula-development  what a team's game finds with find_package(mobula), and an engine with find_package(mobula-client)
#   mobula-client       the shared library of the C interface
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mobula)
set(schema_dir ${CMAKE_INSTALL_DATADIR}/mobula/schema)

# Libraries that server and client link, and schema_engine, which hierarchy's headers include.
set(libraries core process ecs reflect schema_engine hierarchy index resource resource_files resource_compiler wire transport
    transport_simulation net server_tick server_store server_admin server_interest server_game server_replication
    server_session server_api server client_mirror client_connection client_files client)
list(TRANSFORM libraries PREPEND mobula_)
install(TARGETS ${libraries} mobula-schema-gen EXPORT mobula COMPONENT mobula-development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(programs mobula-compile mobula-server mobula-client mobula-bots mobula-token mobula-lobby mobula-lobby-client)
install(TARGETS ${programs} COMPONENT mobula-programs)
add_custom_target(mobula-programs DEPENDS ${programs})

include(cmake/public_headers.cmake)
mobula_public_headers(headers)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  string(REGEX REPLACE "^(shared|server|client)/" "" folder ${folder})
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT mobula-development)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/schema/include/mobula/schema/engine.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mobula/schema COMPONENT mobula-development)

# Schemas that a team's schemas include, and pages for clients in other languages.
install(FILES schema/MobulaSchema.cmake schema/engine.fbs schema/entity_resource.fbs schema/wire.fbs docs/schema.md
              schema/session_vectors.json docs/protocol.md docs/levels.md
        DESTINATION ${schema_dir} COMPONENT mobula-development)

configure_package_config_file(cmake/mobulaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS schema_dir)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # before 1.0 a minor version may break
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT mobula-development)
install(EXPORT mobula NAMESPACE mobula:: FILE mobulaTargets.cmake DESTINATION ${package_dir}
        COMPONENT mobula-development)

include(cmake/client_package.cmake)

foreach(component programs development client)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mobula COMPONENT mobula-${component})
endforeach()

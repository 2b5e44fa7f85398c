# What `cmake --install` puts where, in two components: mobula-programs, and mobula-development, against which a team
# builds its game by find_package(mobula). Nothing in it knows where it was built or installed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mobula)
set(schema_dir ${CMAKE_INSTALL_DATADIR}/mobula/schema)

# Those that server and client stand on, and schema_engine, which hierarchy's headers include.
set(libraries core ecs reflect schema_engine hierarchy index resource wire transport net admin interest store server
    client)
list(TRANSFORM libraries PREPEND mobula_)
install(TARGETS ${libraries} mobula-schema-gen EXPORT mobula COMPONENT mobula-development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(programs mobula-compile mobula-server mobula-client mobula-bots mobula-token mobula-lobby mobula-lobby-client)
install(TARGETS ${programs} COMPONENT mobula-programs)
add_custom_target(mobula-programs DEPENDS ${programs})

# All headers but those that show a library that users need not have, and the examples'.
foreach(folder core ecs reflect hierarchy index resource wire transport net)
  install(DIRECTORY shared/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mobula COMPONENT mobula-development
          FILES_MATCHING PATTERN *.hpp PATTERN *_impl.hpp EXCLUDE)
endforeach()
install(DIRECTORY server client DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mobula COMPONENT mobula-development
        FILES_MATCHING PATTERN *.hpp PATTERN *_impl.hpp EXCLUDE
        REGEX /server/game$ EXCLUDE REGEX /client/bots$ EXCLUDE REGEX "/(server|client)/lobby$" EXCLUDE)
install(FILES ${MOBULA_INCLUDE_DIR}/mobula/schema/engine.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mobula/schema
        COMPONENT mobula-development)

# What schemas of teams include, and what clients in other languages are made from.
install(FILES schema/MobulaSchema.cmake schema/engine.fbs schema/entity_resource.fbs schema/wire.fbs schema/SCHEMA.md
              schema/WIRE.md
        DESTINATION ${schema_dir} COMPONENT mobula-development)

configure_package_config_file(shared/mobulaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS schema_dir)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # before 1.0 a minor version may break
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT mobula-development)
install(EXPORT mobula NAMESPACE mobula:: FILE mobulaTargets.cmake DESTINATION ${package_dir}
        COMPONENT mobula-development)

foreach(component programs development)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mobula COMPONENT mobula-${component})
endforeach()

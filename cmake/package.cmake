# Files that `cmake --install` installs, in three components. They can be moved: none has a path of the build or of the
# installation.
#
#   mobula-programs     server, client and tools
#   mobula-development  what a team's game finds with find_package(mobula), and an engine with find_package(mobula-client)
#   mobula-client       the shared library of the C interface
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Libraries that server and client link, and schema_engine, which hierarchy's headers include.
set(libraries core process ecs reflect schema_engine hierarchy index resource resource_files resource_compiler wire prediction transport
    transport_simulation net server_tick server_store server_cluster server_agones server_admin server_web server_interest server_game server_replication
    server_rewind server_session server_zone_map server_zones server_api server client_mirror client_connection client_prediction client_files client)
list(TRANSFORM libraries PREPEND mobula_)
set(programs mobula-compile mobula-server mobula-client mobula-bots mobula-token mobula-cluster mobula-lobby mobula-lobby-client)
add_custom_target(mobula-packaged DEPENDS ${programs} ${libraries} mobula-schema-gen mobula-client-library)
if(TARGET mobula-csharp)
  add_dependencies(mobula-packaged mobula-csharp mobula-csharp-example)
endif()

include(cmake/client_package.cmake)
include(cmake/public_headers.cmake)
mobula_public_headers(headers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # before 1.0 a minor version may break
set(schema_dir ${CMAKE_INSTALL_DATADIR}/mobula/schema)

# mobula_install(layout libdir [EXCLUDE_FROM_ALL]): the rules of the components LAYOUT-programs and LAYOUT-development,
# with libraries in LIBDIR. CMake writes LIBDIR into the package's files, so it cannot be chosen at the installation.
function(mobula_install layout libdir)
  set(development COMPONENT ${layout}-development ${ARGN})
  set(package_dir ${libdir}/cmake/mobula)
  install(TARGETS ${libraries} mobula-schema-gen EXPORT ${layout}
          ARCHIVE DESTINATION ${libdir} ${development} RUNTIME ${development}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS ${programs} RUNTIME COMPONENT ${layout}-programs ${ARGN})
  # The page of the demo, where --web-port finds it, if ./dev page has built it.
  if(layout STREQUAL mobula)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/build/play-site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mobula/play
            COMPONENT ${layout}-programs OPTIONAL)
  endif()
  # Schemas of the demo's messages, for clients in other languages.
  foreach(name demo_commands demo_events)
    install(FILES ${CMAKE_BINARY_DIR}/schema/mobula_schema_${name}/${name}.bfbs
            DESTINATION ${CMAKE_INSTALL_DATADIR}/mobula COMPONENT ${layout}-programs ${ARGN})
  endforeach()
  foreach(header ${headers})
    get_filename_component(folder ${header} DIRECTORY)
    string(REGEX REPLACE "^(shared|server|client)/" "" folder ${folder})
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} ${development})
  endforeach()
  install(FILES ${CMAKE_BINARY_DIR}/schema/include/mobula/schema/engine.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mobula/schema ${development})

  # Schemas that a team's schemas include, and pages for clients in other languages.
  install(FILES schema/MobulaSchema.cmake schema/MobulaRules.cmake schema/engine.fbs schema/entity_resource.fbs schema/wire.fbs docs/schema.md
                schema/session_vectors.json docs/protocol.md docs/levels.md
          DESTINATION ${schema_dir} ${development})

  # Sources of modules of rules, with the headers that are not public.
  install(DIRECTORY shared/mobula/rules_module DESTINATION ${schema_dir}/module/mobula ${development})
  foreach(source ${MOBULA_MODULE_SOURCES} mobula/core/hash.hpp mobula/hierarchy/rigid.hpp)
    get_filename_component(folder ${source} DIRECTORY)
    install(FILES shared/${source} DESTINATION ${schema_dir}/module/${folder} ${development})
  endforeach()

  set(config ${CMAKE_CURRENT_BINARY_DIR}/${layout}-package/mobulaConfig.cmake)
  configure_package_config_file(cmake/mobulaConfig.cmake.in ${config}
                                INSTALL_DESTINATION ${package_dir} PATH_VARS schema_dir)
  install(FILES ${config} ${CMAKE_CURRENT_BINARY_DIR}/mobulaConfigVersion.cmake DESTINATION ${package_dir} ${development})
  install(EXPORT ${layout} NAMESPACE mobula:: FILE mobulaTargets.cmake DESTINATION ${package_dir} ${development})

  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mobula COMPONENT ${layout}-programs ${ARGN})
  mobula_install_client(${layout} ${libdir} ${ARGN})
endfunction()

mobula_install(mobula ${CMAKE_INSTALL_LIBDIR})
# Debian has libraries of several architectures beside each other. Its packages are made from these components.
if(CMAKE_LIBRARY_ARCHITECTURE)
  mobula_install(debian lib/${CMAKE_LIBRARY_ARCHITECTURE} EXCLUDE_FROM_ALL)
endif()

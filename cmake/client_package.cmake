# Files of the C interface, for package.cmake, and for a build of the client core alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Modules of pkg-config that the static library is linked with.
set(client_requires libsodium)
if(NOT MOBULA_CLIENT_ONLY)
  list(APPEND client_requires libxxhash fmt)
endif()
list(JOIN client_requires " " client_requires)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# mobula_install_client(layout libdir [EXCLUDE_FROM_ALL]): the rules of the component LAYOUT-client, which has the shared
# library, and of what LAYOUT-development has to build with it.
function(mobula_install_client layout libdir)
  set(development COMPONENT ${layout}-development ${ARGN})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${layout}-package)
  install(TARGETS mobula_client_shared
          RUNTIME COMPONENT ${layout}-client ${ARGN}
          LIBRARY DESTINATION ${libdir} COMPONENT ${layout}-client NAMELINK_COMPONENT ${layout}-development ${ARGN}
          ARCHIVE DESTINATION ${libdir} ${development})
  get_target_property(static mobula_client_static ARCHIVE)
  install(FILES ${static} DESTINATION ${libdir} ${development})
  install(FILES client/c/mobula_client.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${development})
  foreach(component client development)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mobula COMPONENT ${layout}-${component} ${ARGN})
  endforeach()

  file(RELATIVE_PATH prefix_from_pc /${libdir}/pkgconfig /)
  string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
  configure_file(client/c/mobula-client.pc.in ${made}/mobula-client.pc @ONLY)
  install(FILES ${made}/mobula-client.pc DESTINATION ${libdir}/pkgconfig ${development})

  # The names of the library's files are known when the build files are generated.
  if(WIN32)
    set(library ${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:mobula_client_shared>)
    set(import_library ${libdir}/$<TARGET_LINKER_FILE_NAME:mobula_client_shared>)
    set(name_for_linkers "IMPORTED_IMPLIB \"\${PACKAGE_PREFIX_DIR}/${import_library}\"")
  else()
    set(library ${libdir}/$<TARGET_FILE_NAME:mobula_client_shared>)
    set(name_for_linkers "IMPORTED_SONAME $<TARGET_SONAME_FILE_NAME:mobula_client_shared>")
  endif()
  get_filename_component(static_name ${static} NAME)
  set(static_library ${libdir}/${static_name})
  set(client_dir ${libdir}/cmake/mobula-client)
  configure_package_config_file(cmake/mobula-clientConfig.cmake.in ${made}/mobula-clientConfig.in
                                INSTALL_DESTINATION ${client_dir}
                                PATH_VARS CMAKE_INSTALL_INCLUDEDIR library static_library)
  file(GENERATE OUTPUT ${made}/mobula-clientConfig.cmake INPUT ${made}/mobula-clientConfig.in)
  install(FILES ${made}/mobula-clientConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfigVersion.cmake
          DESTINATION ${client_dir} ${development})
endfunction()

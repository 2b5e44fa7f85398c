# Files of the C interface: the shared library in the component mobula-client, the rest in mobula-development.
install(TARGETS mobula_client_shared
        RUNTIME COMPONENT mobula-client
        LIBRARY COMPONENT mobula-client NAMELINK_COMPONENT mobula-development
        ARCHIVE COMPONENT mobula-development)
get_target_property(static mobula_client_static ARCHIVE)
install(FILES ${static} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mobula-development)
install(FILES client/c/mobula_client.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT mobula-development)

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(client/c/mobula-client.pc.in ${CMAKE_CURRENT_BINARY_DIR}/mobula-client.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mobula-client.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT mobula-development)

# The names of the library's files are known when the build files are generated.
set(client_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mobula-client)
if(WIN32)
  set(library ${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:mobula_client_shared>)
  set(import_library ${CMAKE_INSTALL_LIBDIR}/$<TARGET_LINKER_FILE_NAME:mobula_client_shared>)
else()
  set(library ${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:mobula_client_shared>)
  set(import_library ${library})
endif()
configure_package_config_file(cmake/mobula-clientConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfig.in
                              INSTALL_DESTINATION ${client_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR library import_library)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfig.cmake
     INPUT ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfig.in)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/mobula-clientConfigVersion.cmake
        DESTINATION ${client_dir} COMPONENT mobula-development)

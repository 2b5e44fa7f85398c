# An overlay port in a clone of the repository: vcpkg install mobula --overlay-ports=cmake/package/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_check_features(OUT_FEATURE_OPTIONS features INVERTED_FEATURES server MOBULA_CLIENT_ONLY)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    -DMOBULA_TESTS=OFF
    -DMOBULA_BENCH=OFF
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME mobula-client CONFIG_PATH lib/cmake/mobula-client DO_NOT_DELETE_PARENT_CONFIG_PATH)
if("server" IN_LIST FEATURES)
  vcpkg_cmake_config_fixup(PACKAGE_NAME mobula CONFIG_PATH lib/cmake/mobula)
  vcpkg_copy_tools(
    TOOL_NAMES mobula-bots mobula-client mobula-cluster mobula-compile mobula-schema-gen mobula-server mobula-token
    AUTO_CLEAN
  )
endif()
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

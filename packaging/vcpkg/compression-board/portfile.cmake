# An overlay port that builds this checkout:
#   vcpkg install compression-board --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DCBOARD_TESTS=OFF -DCBOARD_PAGE=OFF)  # Programs that embed the library need no page.
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME CompressionBoard CONFIG_PATH lib/cmake/CompressionBoard)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

# `cmake --install`, find_package(CompressionBoard), and the Debian package.

include(CMakePackageConfigHelpers)
include(CboardComponents)
get_property(libraries GLOBAL PROPERTY CBOARD_LIBRARIES)
cboard_component_table(component_table ${libraries})
install(TARGETS ${libraries} cboard_protozero EXPORT CompressionBoardTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cboard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Builds everything that `cmake --install` installs.
add_custom_target(programs DEPENDS compression-board ${libraries})
if(TARGET compression-board-data-server)
  add_dependencies(programs compression-board-data-server)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/CompressionBoard)
install(EXPORT CompressionBoardTargets NAMESPACE cboard:: DESTINATION ${package_dir})
configure_package_config_file(cmake/CompressionBoardConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/CompressionBoardConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/CompressionBoardConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/CompressionBoardConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/CompressionBoardConfigVersion.cmake
  DESTINATION ${package_dir})

# For programs that are not built with CMake: `pkg-config --libs cboard-writer`.
foreach(component IN ITEMS writer compression reader compare)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig/cboard-${component}.pc)
  cboard_write_pkg_config(cboard_${component} ${file})
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(man_page ${CMAKE_CURRENT_BINARY_DIR}/compression-board.1)
add_custom_command(OUTPUT ${man_page}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:compression-board> -DVERSION=${PROJECT_VERSION}
    -DOUTPUT=${man_page} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/make_man_page.cmake
  DEPENDS compression-board cmake/make_man_page.cmake
  COMMENT "Writing the man page")
add_custom_target(man_page ALL DEPENDS ${man_page})
add_dependencies(programs man_page)
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# What `compression-board demo` shows.
file(GLOB published_figures data/*.json)
install(FILES ${published_figures} build/digits/digits.csv.gz
  DESTINATION ${CMAKE_INSTALL_DATADIR}/compression-board OPTIONAL)

# The service. Its settings go beside a prefix of …/usr only, so that installing somewhere else, to
# try it, leaves the machine's own alone.
install(FILES packaging/compression-board.service DESTINATION lib/systemd/system)
install(CODE "
  if(CMAKE_INSTALL_PREFIX MATCHES \"^(.*)/usr$\")
    file(INSTALL \"${CMAKE_CURRENT_SOURCE_DIR}/packaging/serve.toml\"
         DESTINATION \"\${CMAKE_MATCH_1}/etc/compression-board\")
  endif()")

install(FILES packaging/completion/compression-board.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME compression-board)
install(FILES packaging/completion/_compression-board
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES packaging/completion/compression-board.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

set(CPACK_PACKAGE_NAME compression-board)
set(CPACK_PACKAGE_VENDOR "Compression Board")
set(CPACK_PACKAGE_CONTACT "Compression Board maintainers <maintainers@compression-board.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/conffiles)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)

# Which outside libraries each installed target needs, so that find_package(CompressionBoard
# COMPONENTS writer) looks for those of `writer` and for no others.

# Sets `result` to the outside libraries of `target` and of all targets of ours that it links, and
# `result`_OURS to those targets.
function(cboard_outside_libraries target result)
  set(waiting ${target})
  set(seen)
  set(outside)
  set(our_targets)
  while(waiting)
    list(POP_FRONT waiting name)
    if(name MATCHES "^\\$<BUILD_INTERFACE:")
      continue()
    endif()
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.+)>$" "\\1" name "${name}")
    string(REGEX REPLACE "^cboard::" "cboard_" ours "${name}")
    if(ours IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${ours})
    if(ours MATCHES "^cboard_" AND TARGET ${ours})
      get_target_property(type ${ours} TYPE)
      if(NOT type STREQUAL INTERFACE_LIBRARY)
        list(APPEND our_targets ${ours})
      endif()
      foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
        if(property STREQUAL LINK_LIBRARIES AND type STREQUAL INTERFACE_LIBRARY)
          continue()
        endif()
        get_target_property(libraries ${ours} ${property})
        if(libraries)
          list(APPEND waiting ${libraries})
        endif()
      endforeach()
    else()
      list(APPEND outside ${name})
    endif()
  endwhile()
  list(SORT outside)
  set(${result} ${outside} PARENT_SCOPE)
  set(${result}_OURS ${our_targets} PARENT_SCOPE)
endfunction()

# Writes `file`, with which pkg-config says how to link `target`. Our libraries are static, so a
# program needs everything that they use, too.
function(cboard_write_pkg_config target file)
  cboard_outside_libraries(${target} outside)
  get_target_property(component ${target} EXPORT_NAME)
  set(modules)
  set(flags)
  foreach(library IN LISTS outside)
    if(library STREQUAL "PkgConfig::isal")
      list(APPEND modules libisal)
    elseif(library MATCHES "^PkgConfig::(.+)$")
      list(APPEND modules ${CMAKE_MATCH_1})
    elseif(library STREQUAL "Threads::Threads")
      list(APPEND flags -pthread)
    elseif(library STREQUAL "GIF::GIF")
      list(APPEND flags -lgif)
    elseif(library STREQUAL "OpenSSL::SSL")
      list(APPEND modules libssl)
    elseif(library STREQUAL "OpenSSL::Crypto")
      list(APPEND modules libcrypto)
    elseif(library MATCHES "^(hwy|simdjson|pugixml)::")
      list(APPEND flags -l${CMAKE_MATCH_1})
    elseif(library MATCHES "^[a-z0-9-]+$")
      list(APPEND flags -l${library})
    endif()  # Others, such as tl::expected, are headers only.
  endforeach()
  list(TRANSFORM outside_OURS PREPEND -l)
  list(JOIN outside_OURS " " ours)
  list(JOIN modules " " modules)
  list(JOIN flags " " flags)
  # Relative to the file, so that a package can be moved.
  file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  # The libraries use each other in both directions, hence the group.
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "prefix=\${pcfiledir}/${prefix}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
libdir=\${pcfiledir}/..

Name: cboard-${component}
Description: Compression Board, component ${component} (C++20)
Version: ${PROJECT_VERSION}
Requires: ${modules}
Cflags: -I\${includedir} -std=c++20
Libs: -L\${libdir} -Wl,--start-group ${ours} -Wl,--end-group ${flags}
")
endfunction()

# Sets `result` to the lines of the package config that name the outside libraries per component.
function(cboard_component_table result)
  set(names)
  set(lines)
  foreach(target IN LISTS ARGN)
    get_target_property(name ${target} EXPORT_NAME)
    cboard_outside_libraries(${target} outside)
    list(APPEND names ${name})
    list(JOIN outside " " text)
    string(APPEND lines "set(_cboard_outside_${name} ${text})\n")
  endforeach()
  list(SORT names)
  list(JOIN names " " text)
  set(${result} "set(_cboard_components ${text})\n${lines}" PARENT_SCOPE)
endfunction()

# CBOARD_PORTABLE: programs that run on other Linux systems, as in the wheel. They contain every
# library that Debian has in static form, and start with any glibc from CBOARD_OLDEST_GLIBC on.
option(CBOARD_PORTABLE "Build programs that run on older Linux systems too (x86-64, GCC)" OFF)
set(CBOARD_OLDEST_GLIBC 2.28 CACHE STRING "The oldest glibc that CBOARD_PORTABLE programs run with")

# Before libraries are looked for.
macro(cboard_prefer_static_libraries)
  if(CBOARD_PORTABLE)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
    set(OPENSSL_USE_STATIC_LIBS TRUE)
  endif()
endmacro()

# After that: packages that name their shared library only.
function(cboard_use_static_library target library)
  if(NOT CBOARD_PORTABLE)
    return()
  endif()
  find_library(CBOARD_STATIC_${library} lib${library}.a REQUIRED)
  foreach(configuration IN ITEMS "" _NONE _RELEASE _RELWITHDEBINFO _NOCONFIG)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION${configuration} ${CBOARD_STATIC_${library}})
  endforeach()
endfunction()

if(CBOARD_PORTABLE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(stubs ${CMAKE_BINARY_DIR}/glibc-${CBOARD_OLDEST_GLIBC})
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${Python3_EXECUTABLE}
    ${PROJECT_SOURCE_DIR}/packaging/wheel/glibc_stubs.py ${CBOARD_OLDEST_GLIBC} ${stubs})
  # A linker takes the first folder that has a library in any form.
  find_library(CBOARD_STATIC_RE2 libre2.a REQUIRED)
  file(CREATE_LINK ${CBOARD_STATIC_RE2} ${stubs}/libre2.a SYMBOLIC)
endif()

function(cboard_portable target)
  if(NOT CBOARD_PORTABLE)
    return()
  endif()
  add_library(${target}_older_glibc OBJECT ${PROJECT_SOURCE_DIR}/packaging/wheel/older_glibc.c)
  target_compile_options(${target}_older_glibc PRIVATE -O2 -fvisibility=hidden)
  target_link_libraries(${target} PRIVATE ${target}_older_glibc)
  # Older systems have these functions in libraries of their own, which must be loaded.
  target_link_options(${target} PRIVATE -static-libstdc++ -L${stubs}
    -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,--allow-shlib-undefined
    -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_definitions(${target}_older_glibc PRIVATE CBOARD_PROGRAM)
    target_link_options(${target} PRIVATE -Wl,--wrap=main)
  endif()
endfunction()

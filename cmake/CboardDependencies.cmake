# Every library the build may use, found once. Debian names them in scripts/setup.
# The package config repeats the ones that installed static libraries need (CboardPackage.cmake).

include(CboardPortable)
cboard_prefer_static_libraries()
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(hwy REQUIRED)
find_package(simdjson REQUIRED)
find_package(pugixml REQUIRED)
find_package(GIF REQUIRED)
find_package(yaml-cpp REQUIRED)
cboard_use_static_library(pugixml::shared pugixml)
cboard_use_static_library(yaml-cpp yaml-cpp)
find_package(PkgConfig REQUIRED)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(spng REQUIRED IMPORTED_TARGET spng)
pkg_check_modules(md4c REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(libagg REQUIRED IMPORTED_TARGET libagg)

# protozero is headers only and ships no CMake package; it stays out of our installed headers.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)
add_library(cboard_protozero INTERFACE)
target_include_directories(cboard_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What one clone compiled, another finds: paths count from the folder that compiles.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

if(CBOARD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(CBOARD_BENCHES)
  find_package(benchmark REQUIRED)
endif()

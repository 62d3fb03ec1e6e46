# Turns the files of the page into a C++ source:
#
#   cmake -DDIRECTORY=build/page -DOUTPUT=page_files.cc -P embed.cmake
#
# The bytes are the files' own; src/server/page_files.h declares what comes out.
file(GLOB_RECURSE files RELATIVE ${DIRECTORY} ${DIRECTORY}/*.html ${DIRECTORY}/*.js ${DIRECTORY}/*.css ${DIRECTORY}/*.svg)
list(SORT files)

set(arrays "")
set(entries "")
set(index 0)
foreach(name IN LISTS files)
  file(READ ${DIRECTORY}/${name} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  # Lines that an editor can open.
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${index}[] = {\n${bytes}};\n")
  string(APPEND entries "    {\"${name}\", {kFile${index}, sizeof(kFile${index})}},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE ${OUTPUT} "#include \"server/page_files.h\"

namespace cboard {
namespace {
${arrays}
constexpr PageFile kFiles[] = {
${entries}};
}  // namespace

std::span<const PageFile> PageFiles() { return kFiles; }

}  // namespace cboard
")

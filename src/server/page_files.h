// The files of ui/, embedded in the program. embed.cmake writes the definition.
#pragma once

#include <span>
#include <string_view>

namespace cboard::server {

struct PageFile {
  std::string_view name;  // "index.html"
  std::span<const unsigned char> content;
  std::span<const unsigned char> gzip_content;  // Empty if the build did not compress the file.
};

// Returns the files, sorted by name.
std::span<const PageFile> PageFiles();

}  // namespace cboard::server

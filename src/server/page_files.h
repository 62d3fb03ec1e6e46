// The files of ui/, inside the program. embed.cmake writes the definition.
#pragma once

#include <span>
#include <string_view>

namespace cboard::server {

struct PageFile {
  std::string_view name;  // "index.html"
  std::span<const unsigned char> content;
  std::span<const unsigned char> gzip_content;  // Empty when the build did not compress it.
};

// In the order of their names.
std::span<const PageFile> PageFiles();

}  // namespace cboard::server

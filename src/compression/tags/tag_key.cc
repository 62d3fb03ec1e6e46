#include "compression/tags/tag_key.h"

#include "cboard/compression/names.h"

namespace cboard::compression {

std::string TagKeyOf(std::string_view name) {
  std::string key = DirectoryNameOf(name);
  for (char& c : key) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '_' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
    if (!kept) c = '_';
  }
  return key;
}

}  // namespace cboard::compression

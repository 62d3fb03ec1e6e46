#include <cstddef>
#include <cstdint>

#include "object_store/store/listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view xml(reinterpret_cast<const char*>(data), size);
  if (const auto page = cboard::object_store::ParseListing(xml)) {
    for (const auto& object : page->objects) {
      if (object.key.empty()) __builtin_trap();
    }
  }
  (void)cboard::object_store::ParseStoreError(xml);
  return 0;
}

// Mapping many pages with one call of the system.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "cboard/base/bytes.h"

#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Linux 5.14; before that it fails.
#endif

namespace cboard::reader {

// Maps all pages of a piece of a mapped file, which would else be mapped a few at a time when they
// are first looked at. False if the system cannot.
inline bool Populate(ByteSpan mapped) {
  constexpr std::uintptr_t kPageBytes = 4096;
  const auto skipped = reinterpret_cast<std::uintptr_t>(mapped.data()) % kPageBytes;
  return ::madvise(const_cast<std::byte*>(mapped.data()) - skipped, mapped.size() + skipped,
                   MADV_POPULATE_READ) == 0;
}

}  // namespace cboard::reader

// Mapping many pages with few calls of the system.
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

// Maps the pages of a piece of a mapped file, which begins with one, at half the cost, if all of
// them are in memory; false if not. Requests one of every few pages; the system maps the neighbours
// that it has in memory. Pages that it skips, because another process uses them, are mapped on
// access. That needs no disk, unless memory is so short that the system has evicted them.
bool PopulateCached(ByteSpan mapped);

}  // namespace cboard::reader

// Maps many pages with few system calls.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "cboard/base/bytes.h"

#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Since Linux 5.14; older systems return an error.
#endif

namespace cboard::reader {

// Maps all pages of a piece of a mapped file. Without this call, the system would map a few pages
// at each first access. Returns false if the system cannot do it.
inline bool Populate(ByteSpan mapped) {
  constexpr std::uintptr_t kPageBytes = 4096;
  const auto skipped = reinterpret_cast<std::uintptr_t>(mapped.data()) % kPageBytes;
  return ::madvise(const_cast<std::byte*>(mapped.data()) - skipped, mapped.size() + skipped,
                   MADV_POPULATE_READ) == 0;
}

// Maps the pages of a piece of a mapped file, at half the cost of Populate(). Returns false if not
// all pages are in memory. The piece begins at a page boundary. The function requests only one of
// every few pages; the system also maps the neighbouring pages that it has in memory. Pages that
// the system skips, because another process uses them, are mapped when they are accessed. This
// needs no disk access unless the pages were evicted from memory.
bool PopulateCached(ByteSpan mapped);

}  // namespace cboard::reader

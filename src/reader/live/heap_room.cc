#include "reader/live/heap_room.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#if !defined(MADV_POPULATE_WRITE)
// Available since Linux 5.14. Older systems return an error; pages are then mapped at the first
// access.
#define MADV_POPULATE_WRITE 23
#endif

namespace cboard::reader {

void MakeHeapRoom(std::size_t bytes) {
  constexpr std::uintptr_t kPageBytes = 4096;
  // The pointer is volatile, because otherwise the compiler would remove the allocation.
  void* volatile room = std::malloc(bytes);
  if (room == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(room);
  const std::uintptr_t first = (address + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uintptr_t end = (address + bytes) / kPageBytes * kPageBytes;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
  std::free(room);
}

}  // namespace cboard::reader

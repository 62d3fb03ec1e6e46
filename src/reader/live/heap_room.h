// Reserves heap memory for a thread.
#pragma once

#include <cstddef>

namespace cboard::reader {

// Reserves `bytes` on the heap for many small allocations of this thread. In glibc, the heap of
// every thread except the first one grows page by page. Each page costs a page fault, and a system
// call during which no other thread can have a page fault. This function lets the heap grow by one
// large piece; freeing the piece leaves it in the heap. It uses pieces of at most 100 KB, because
// glibc maps larger ones separately.
void MakeHeapRoom(std::size_t bytes);

}  // namespace cboard::reader

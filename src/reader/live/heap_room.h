// Reserves memory on the heap of a thread.
#pragma once

#include <cstddef>

namespace cboard::reader {

// Makes room for `bytes` that this thread is about to allocate in many small pieces. With glibc the
// heap of every thread but the first grows page by page: a call of the system for each, in which no
// other thread can have a page fault, and then a page fault. It grows by a large piece at once, and
// keeps it when that is freed. More than 100 KB would become a mapping of their own, and help
// nobody.
void MakeHeapRoom(std::size_t bytes);

}  // namespace cboard::reader

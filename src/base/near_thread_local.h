// Thread-local variables that are read for every event.
//
//   CBOARD_NEAR_THREAD_LOCAL static thread_local constinit int t_count = 0;
//
// In a shared library, such as Python's, the usual way to a thread_local is a function call. This
// is an instruction instead, for a few of the bytes that glibc keeps free in every thread for
// libraries that are loaded later: only for small ones.
#pragma once

#include <cstddef>  // Some header of the standard library says whether this is glibc.

#if defined(__GLIBC__)
#define CBOARD_NEAR_THREAD_LOCAL [[gnu::tls_model("initial-exec")]]
#else
#define CBOARD_NEAR_THREAD_LOCAL
#endif

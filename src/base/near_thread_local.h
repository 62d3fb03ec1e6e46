// Fast thread-local variables, for variables that are read for every event.
//
//   CBOARD_NEAR_THREAD_LOCAL static thread_local constinit int t_count = 0;
//
// In a shared library, such as a Python extension, access to a thread_local is normally a function
// call. With this macro it is one instruction. The macro uses a few of the bytes that glibc
// reserves in every thread for libraries that are loaded later, so use it only for small variables.
#pragma once

#include <cstddef>  // Defines __GLIBC__ if the C library is glibc.

#if defined(__GLIBC__)
#define CBOARD_NEAR_THREAD_LOCAL [[gnu::tls_model("initial-exec")]]
#else
#define CBOARD_NEAR_THREAD_LOCAL
#endif

// Runs part of a test in a forked child.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace cboard::testing {

// True if `body` returns true in a child process. A child that hangs is killed, and the result is
// false.
inline bool HoldsInChild(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

// ThreadSanitizer stops a child that starts a thread when its parent had one ("dup thread").
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kChildrenMayStartThreads = false;
#else
inline constexpr bool kChildrenMayStartThreads = true;
#endif

}  // namespace cboard::testing

// Must come first in a test whose child processes start threads.
#define CBOARD_SKIP_UNLESS_CHILDREN_MAY_START_THREADS()                  \
  if (!::cboard::testing::kChildrenMayStartThreads) {                    \
    GTEST_SKIP() << "ThreadSanitizer has no threads in child processes"; \
  }                                                                      \
  static_assert(true)

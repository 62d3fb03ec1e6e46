// The clocks that measure the time of a run.
#pragma once

#include <time.h>

namespace cboard::benchmark {

inline double ReadClock(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double WallSeconds() { return ReadClock(CLOCK_MONOTONIC); }
inline double ThreadSeconds() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }
inline double ProcessSeconds() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace cboard::benchmark

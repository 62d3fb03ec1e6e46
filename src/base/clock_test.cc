#include "cboard/base/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace cboard {
namespace {

double SystemSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST(WallTime, LiesBetweenTwoReadingsOfTheSystemsClock) {
  // Long enough to measure the ticks and to use them between two readings of the clock.
  constexpr double kSeconds = 0.3;
  // Maximum error: the rounding to double plus the length of a tick.
  constexpr double kTolerance = 5e-6;
  const double start = SystemSeconds();
  int readings = 0;
  while (true) {
    const double before = SystemSeconds();
    const double now = WallTimeSeconds();
    const double after = SystemSeconds();
    ASSERT_GE(now, before - kTolerance);
    ASSERT_LE(now, after + kTolerance);
    ++readings;
    if (after - start > kSeconds) break;
  }
  EXPECT_GT(readings, 100);
}

TEST(WallTime, IsRightInEveryThreadAndAfterAPause) {
  for (int i = 0; i < 3; ++i) {
    std::thread([] {
      static_cast<void>(WallTimeSeconds());
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      const double before = SystemSeconds();
      const double now = WallTimeSeconds();
      EXPECT_GE(now, before - 5e-6);
      EXPECT_LE(now, SystemSeconds() + 5e-6);
    }).join();
  }
}

}  // namespace
}  // namespace cboard

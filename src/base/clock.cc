#include "cboard/base/clock.h"

#include <ctime>

namespace cboard {

double WallTimeSeconds() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

const Clock& SystemClock() {
  class OperatingSystemClock final : public Clock {
   public:
    double NowSeconds() const override { return WallTimeSeconds(); }
  };
  static const OperatingSystemClock clock;
  return clock;
}

}  // namespace cboard

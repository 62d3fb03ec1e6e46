#include "cboard/base/clock.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/near_thread_local.h"

namespace cboard {
namespace {

double ReadSystemClock() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

#if defined(__x86_64__)

// Asking the system costs more than encoding a scalar event. So each thread asks once in a
// millisecond and counts the processor's ticks in between: an error far below the microsecond, and
// a clock that is set is followed at once. Where ticks are not steady, the system is asked always.
constexpr double kTrustSeconds = 1e-3;

// Whether the kernel itself keeps time by these ticks. It has checked what we cannot: that they
// run at one rate, also in sleep, and agree between processors.
bool TicksAreSteady() {
  std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return source >> name && name == "tsc";
}

// The system's time, and the ticks at which it was read.
struct Reading {
  std::uint64_t ticks = 0;
  double seconds = 0;
  bool sharp = false;  // Nothing came between the two.
};

Reading Read() {
  constexpr std::uint64_t kMaxReadTicks = 5'000;  // A microsecond or two.
  const std::uint64_t before = __rdtsc();
  const double seconds = ReadSystemClock();
  const std::uint64_t after = __rdtsc();
  return {after, seconds, after - before < kMaxReadTicks};
}

// A second and third try when something came between, such as the first use of the clock's page.
Reading ReadWithLeastDelay() {
  Reading reading = Read();
  for (int tries = 0; !reading.sharp && tries < 3; ++tries) reading = Read();
  return reading;
}

// How far apart two readings must be to tell the length of a tick to some 1e-5: milliseconds.
constexpr std::uint64_t kMeasuringTicks = 20'000'000;

// The length of a tick, or 0 while it is not known: it takes a while to measure.
double SecondsPerTick() {
  static const bool steady = TicksAreSteady();
  static const Reading first = ReadWithLeastDelay();
  static std::atomic<double> measured = 0;
  if (const double known = measured.load(std::memory_order_relaxed); known > 0 || !steady) {
    return known;
  }
  if (__rdtsc() - first.ticks < kMeasuringTicks) return 0;
  const Reading now = ReadWithLeastDelay();
  if (!first.sharp || !now.sharp) return 0;
  const double length =
      (now.seconds - first.seconds) / static_cast<double>(now.ticks - first.ticks);
  // From 0.2 to 20 GHz; anything else means that the clock was set meanwhile.
  if (!(length > 5e-11 && length < 5e-9)) return 0;
  measured = length;
  return length;
}

class TickingClock {
 public:
  double Now() {
    const auto elapsed = static_cast<std::int64_t>(__rdtsc() - last_.ticks);
    if (elapsed < 0 || elapsed >= trusted_ticks_) [[unlikely]]
      return ReadSystemTime();
    return last_.seconds + static_cast<double>(elapsed) * seconds_per_tick_;
  }

 private:
  // Kept out of Now, which then needs no stack.
  [[gnu::noinline]] double ReadSystemTime() {
    seconds_per_tick_ = SecondsPerTick();
    if (seconds_per_tick_ == 0) return ReadSystemClock();
    last_ = ReadWithLeastDelay();
    trusted_ticks_ = last_.sharp ? static_cast<std::int64_t>(kTrustSeconds / seconds_per_tick_) : 0;
    return last_.seconds;
  }

  Reading last_;
  double seconds_per_tick_ = 0;
  std::int64_t trusted_ticks_ = 0;
};

#endif

}  // namespace

double WallTimeSeconds() {
#if defined(__x86_64__)
  CBOARD_NEAR_THREAD_LOCAL static thread_local constinit TickingClock clock;
  return clock.Now();
#else
  return ReadSystemClock();
#endif
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

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

// Reading the system clock costs more than encoding a scalar event. Each thread therefore reads the
// system clock once per millisecond, and counts processor ticks in between. The error is far below
// a microsecond. A change of the system clock is noticed within a millisecond. If the ticks are not
// steady, the system clock is read every time.
constexpr double kTrustSeconds = 1e-3;

// True if the Linux kernel uses the processor's tick counter (TSC) as its own clock. The kernel has
// then checked that the ticks have a constant rate, also in sleep, and are equal on all processors.
bool TicksAreSteady() {
  std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return source >> name && name == "tsc";
}

// A value of the system clock, and the processor's tick counter at the same moment.
struct Reading {
  std::uint64_t ticks = 0;
  double seconds = 0;
  bool sharp = false;  // No interruption between the two reads.
};

Reading Read() {
  constexpr std::uint64_t kMaxReadTicks = 5'000;  // One or two microseconds.
  const std::uint64_t before = __rdtsc();
  const double seconds = ReadSystemClock();
  const std::uint64_t after = __rdtsc();
  return {after, seconds, after - before < kMaxReadTicks};
}

// Reads the system clock. Repeats the reading up to three times if an interruption delayed it, for
// example the first access to the clock's memory page.
Reading ReadWithLeastDelay() {
  Reading reading = Read();
  for (int tries = 0; !reading.sharp && tries < 3; ++tries) reading = Read();
  return reading;
}

// Minimum number of ticks between two readings of the system clock. It takes some milliseconds, and
// gives the length of a tick with a relative error of about 1e-5.
constexpr std::uint64_t kMeasuringTicks = 20'000'000;

// Returns the length of a tick in seconds; 0 if ticks are not steady, and until enough time has
// passed to measure the length.
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
  // Accepts only tick rates from 0.2 to 20 GHz. Any other rate means that the system clock was set
  // between the two readings.
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
  // Reads the system clock. The function is not inlined, so that Now() needs no stack frame.
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

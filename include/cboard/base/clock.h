// The time of day in TensorBoard's format, behind an interface so that tests can set it.
#pragma once

namespace cboard {

// Source of wall times. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // Returns the time in seconds since 1970-01-01 UTC, with fractions.
  virtual double NowSeconds() const = 0;
};

// The clock of the operating system. It lives for the whole program.
const Clock& SystemClock();

// Returns SystemClock().NowSeconds() without the virtual call, for code that reads the time per
// event.
double WallTimeSeconds();

}  // namespace cboard

// The time of day in TensorBoard's format (seconds since 1970). An interface, so that tests can set
// the time.
#pragma once

namespace cboard {

// Source of wall times. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // Returns the time in seconds since 1970-01-01 UTC, including fractions of a second.
  virtual double NowSeconds() const = 0;
};

// Returns the clock of the operating system. The object exists until the program ends.
const Clock& SystemClock();

// Returns SystemClock().NowSeconds() without the virtual call, for code that reads the time for
// every event.
double WallTimeSeconds();

}  // namespace cboard

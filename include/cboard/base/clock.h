// The time of day as TensorBoard stores it, behind an interface so that tests can set it.
#pragma once

namespace cboard {

// Where wall times come from. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // Seconds since 1970-01-01 UTC, with fractions.
  virtual double NowSeconds() const = 0;
};

// The clock of the operating system. Lives for the whole program.
const Clock& SystemClock();

// SystemClock().NowSeconds() without the virtual call, for code that reads it per event.
double WallTimeSeconds();

}  // namespace cboard

// CBOARD_CHECK stops the program if an invariant is broken. Return an Error for bad input instead.
#pragma once

namespace cboard {
// Prints the file, line and condition of a failed check to standard error, and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace cboard

#define CBOARD_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) ::cboard::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

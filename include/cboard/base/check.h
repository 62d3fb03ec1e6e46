// Broken invariants stop the program where they are found. Bad input is not one: return an Error.
#pragma once

namespace cboard {
// Prints where and what to standard error, and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace cboard

#define CBOARD_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) ::cboard::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

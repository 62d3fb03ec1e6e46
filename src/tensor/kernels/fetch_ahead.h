// For loops through arrays that are larger than the caches.
#pragma once

#include <cstdint>

namespace cboard::tensor {

// Asks memory for what comes soon after `now`: the second-level cache early, since it can wait for
// several times as many lines as the first, which takes them over shortly before they are used.
// Processors do this of themselves within a page, and begin anew in the next. These are hints,
// which may point beyond the array.
//
// Always inlined: a function that does nothing but this has no effect in the eyes of GCC 12, which
// takes its calls away.
template <typename T>
[[gnu::always_inline]] inline void FetchAhead(const T* now) {
  constexpr std::uintptr_t kFar = 8192 * sizeof(T), kNear = 512 * sizeof(T);
  const auto address = reinterpret_cast<std::uintptr_t>(now);
  __builtin_prefetch(reinterpret_cast<const void*>(address + kFar), 0, 2);
  __builtin_prefetch(reinterpret_cast<const void*>(address + kNear), 0, 3);
}

}  // namespace cboard::tensor

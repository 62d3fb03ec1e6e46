// For loops through arrays that are larger than the caches.
#pragma once

#include <cstdint>

namespace cboard::tensor {

// Prefetches the memory shortly after `now`: early into the second-level cache, which can wait for
// several times as many lines as the first, and into the first shortly before use. Processors
// prefetch by themselves within a page, and start again in the next. These are hints, which may
// point beyond the array.
//
// Always inlined: GCC 12 removes calls of a function that only prefetches, because it sees no
// effect.
template <typename T>
[[gnu::always_inline]] inline void FetchAhead(const T* now) {
  constexpr std::uintptr_t kFar = 8192 * sizeof(T), kNear = 512 * sizeof(T);
  const auto address = reinterpret_cast<std::uintptr_t>(now);
  __builtin_prefetch(reinterpret_cast<const void*>(address + kFar), 0, 2);
  __builtin_prefetch(reinterpret_cast<const void*>(address + kNear), 0, 3);
}

}  // namespace cboard::tensor

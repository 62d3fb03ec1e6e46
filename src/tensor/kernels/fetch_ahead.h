// Prefetching for loops over arrays that are larger than the caches.
#pragma once

#include <cstdint>

namespace cboard::tensor {

// Prefetches the memory shortly after `now`, in two steps: first into the second-level cache, which
// can wait for several times as many cache lines as the first-level cache, and shortly before use
// into the first-level cache. Without this function, processors prefetch only within a page. A
// prefetch is a hint; the address may be beyond the array.
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

// Runs the same work for many items on several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/base/result.h"

namespace cboard {

inline constexpr std::size_t kMaxThreads = 8;

struct ParallelOptions {
  // Minimum number of items per thread. Fewer items are not worth the time to start a thread.
  std::size_t items_per_thread = 16;
  std::size_t max_threads = kMaxThreads;

  // Returns options for items that each take so long that one item is worth a thread.
  static ParallelOptions ForLargeItems();
};

// Calls work(thread, item) once for each item 0 … count - 1, on several threads if there are many
// items, and returns after all calls. `thread` is below kMaxThreads and identifies the thread, so
// that each thread can use its own resources. After a failure no further item is started, and the
// error of the first item that failed is returned.
//
// `progress` is optional and is called only on the calling thread: (0, count) at the start, then
// when items are finished, and (count, count) at the end unless an item failed.
Result<void> ForEachInParallel(std::size_t count,
                               const std::function<Result<void>(std::size_t, std::size_t)>& work,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               const ParallelOptions& options = {});

}  // namespace cboard

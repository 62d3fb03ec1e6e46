// The same work for many items, on a few threads.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/base/result.h"

namespace cboard {

inline constexpr std::size_t kMaxThreads = 8;

struct ParallelOptions {
  std::size_t items_per_thread = 16;  // So few that threads would start too late for them.
  std::size_t max_threads = kMaxThreads;

  // For items that are worth a thread each and keep a processor busy.
  static ParallelOptions ForLargeItems();
};

// Calls work(thread, item) for each item 0 … count - 1 once, from several threads when there are
// many items, and returns when all have returned. `thread` is below kMaxThreads and tells threads
// apart, so that each may have tools of its own. After a failure no further item is begun, and the
// error of the first item that failed is returned.
//
// `progress`, if any, is called on this thread only: (0, count) at the start, then whenever items
// are done, and at the end (count, count) unless something failed.
Result<void> ForEachInParallel(std::size_t count,
                               const std::function<Result<void>(std::size_t, std::size_t)>& work,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               const ParallelOptions& options = {});

}  // namespace cboard

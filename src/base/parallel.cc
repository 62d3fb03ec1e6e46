#include "base/parallel.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace cboard {
namespace {

class ThreadPool {
 public:
  ThreadPool(std::size_t count, const std::function<Result<void>(std::size_t, std::size_t)>& work)
      : count_(count), work_(work) {}

  void Work(std::size_t thread) {
    std::unique_lock lock(mutex_);
    while (next_ < count_ && !error_) {
      const std::size_t item = next_++;
      lock.unlock();
      Result<void> result = work_(thread, item);
      lock.lock();
      ++done_;
      if (!result && (!error_ || item < failed_item_)) {
        error_ = std::move(result).error();
        failed_item_ = item;
      }
      changed_.notify_one();
    }
    ++idle_;
    changed_.notify_one();
  }

  // Reports progress until `threads` threads have no more work.
  void Watch(std::size_t threads, const std::function<void(std::size_t, std::size_t)>& progress) {
    std::unique_lock lock(mutex_);
    std::size_t reported = 0;
    while (true) {
      changed_.wait(lock, [&] { return done_ > reported || idle_ == threads; });
      if (done_ == reported) return;  // Nothing more to report; all threads have finished.
      reported = done_;
      if (!progress || error_) continue;
      lock.unlock();
      progress(reported, count_);
      lock.lock();
    }
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  const std::size_t count_;
  const std::function<Result<void>(std::size_t, std::size_t)>& work_;
  std::mutex mutex_;  // Protects all members below.
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0, idle_ = 0;
  std::optional<Error> error_;
  std::size_t failed_item_ = 0;
};

}  // namespace

ParallelOptions ParallelOptions::ForLargeItems() {
  // hardware_concurrency() returns 0 if the system does not report the number of processors.
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  return {.items_per_thread = 1, .max_threads = processors};
}

Result<void> ForEachInParallel(std::size_t count,
                               const std::function<Result<void>(std::size_t, std::size_t)>& work,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               const ParallelOptions& options) {
  if (progress) progress(0, count);
  const std::size_t wanted =
      std::min({kMaxThreads, options.max_threads, count / options.items_per_thread});
  ThreadPool crew(count, work);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wanted && wanted > 1; ++i) {
    try {
      threads.emplace_back([&crew, i] { crew.Work(i); });
    } catch (const std::system_error&) {
      break;  // The system cannot create more threads; the existing threads do the work.
    }
  }
  if (threads.empty()) {
    for (std::size_t item = 0; item < count; ++item) {
      CBOARD_RETURN_IF_ERROR(work(0, item));
      if (progress) progress(item + 1, count);
    }
    return {};
  }
  crew.Watch(threads.size(), progress);
  for (std::thread& thread : threads) thread.join();
  if (crew.error()) return Fail(*crew.error());
  return {};
}

}  // namespace cboard

// The threads of a log reader.
//
//   WorkerPool pool(2);
//   pool.Submit([&] { Read(file); });           // Some time later.
//   pool.ForEach(parts.size(), [&](std::size_t i) { Read(parts[i]); });  // Before returning.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "reader/index/file_index.h"

namespace cboard::reader {

// A pool of threads. All methods may be called from any thread, also from inside a task.
class WorkerPool final : public Workers {
 public:
  explicit WorkerPool(unsigned threads);  // 0: one thread per processor.

  ~WorkerPool() override;  // Calls Stop().
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned count() const override { return static_cast<unsigned>(threads_.size()); }

  // Calls task(0) to task(n - 1) and waits for them. The calling thread runs some of them itself,
  // so a task may call ForEach() too.
  void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) override;

  void Submit(std::function<void()> task);

  // Drops tasks that have not started, and waits for running ones. No task runs afterwards.
  void Stop();

  // Returns the number of submitted tasks that wait for a thread.
  std::size_t waiting() const;

 private:
  // One call of ForEach(). It is on the stack of the caller, which removes it from `jobs_` before
  // it returns.
  struct Job {
    const std::function<void(std::size_t)>& task;
    std::size_t count;
    std::size_t next = 0;     // The first index that no thread has taken.
    std::size_t running = 0;  // The number of threads inside `task`.
    std::condition_variable idle;
  };

  void Work();
  void RunOne(Job& job, std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  // Jobs with remaining indices. They run before submitted tasks, the newest job first.
  std::vector<Job*> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cboard::reader

#include "reader/live/worker_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace cboard::reader {

WorkerPool::WorkerPool(unsigned threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      break;  // The system cannot start more threads; the existing ones do the work.
    }
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Stop() {
  std::deque<std::function<void()>> dropped;  // Destroyed after the lock is released.
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::Submit(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

std::size_t WorkerPool::waiting() const {
  std::lock_guard lock(mutex_);
  return tasks_.size();
}

// Takes one index of `job` and runs its task. The lock is released meanwhile.
void WorkerPool::RunOne(Job& job, std::unique_lock<std::mutex>& lock) {
  const std::size_t index = job.next++;
  if (job.next == job.count) std::erase(jobs_, &job);
  ++job.running;
  lock.unlock();
  job.task(index);
  lock.lock();
  if (--job.running == 0 && job.next == job.count) job.idle.notify_all();
}

void WorkerPool::ForEach(std::size_t n, const std::function<void(std::size_t)>& task) {
  if (n == 0) return;
  Job job{.task = task, .count = n, .idle = {}};
  std::unique_lock lock(mutex_);
  jobs_.push_back(&job);
  if (n > 1) wake_.notify_all();
  while (job.next < job.count) RunOne(job, lock);
  job.idle.wait(lock, [&] { return job.running == 0; });
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!jobs_.empty()) {
      RunOne(*jobs_.back(), lock);
    } else if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // Destroys the task's captures while the lock is released.
      lock.lock();
    } else if (stopping_) {
      return;
    } else {
      wake_.wait(lock);
    }
  }
}

}  // namespace cboard::reader

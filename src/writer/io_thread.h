// One thread that writes many event files.
//
// A SummaryWriter uses one thread for all its files: add_scalars may open dozens of sub-runs, and a
// thread for each of them would cost more than the writing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "cboard/base/result.h"
#include "writer/per_process.h"

namespace cboard::writer {

// A thread that runs tasks. Thread-safe. Tasks take turns: a task that always has work delays the
// others by one Run() at a time. The thread starts with the first task. It handles no signals, so
// that the program's own threads handle all of them.
class IoThread {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Work that runs on the I/O thread. From Add() to Remove(), the thread is a shared owner of the
  // task.
  class Task {
   public:
    virtual ~Task() = default;

    // Does the pending work and returns the time of the next run; Wake() may cause an earlier run.
    // A task with a lot of work should do a part of it, return `now`, and continue in its next
    // turn.
    virtual TimePoint Run(TimePoint now) = 0;
  };

  IoThread() = default;
  ~IoThread();  // Stops after the running task; remaining tasks do not run again.
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  // Adds a task. Fails with kResourceExhausted if the system cannot create a thread.
  Result<void> Add(std::shared_ptr<Task> task, TimePoint first_due);

  // Makes a task run soon. Does nothing if the task was removed.
  void Wake(const Task& task);

  // Removes a task. The task does not run afterwards. Must not be called from Run().
  void Remove(const Task& task);

  // True if the calling thread is this I/O thread, which means that a Run() is the caller. Valid
  // only after Add().
  bool OnThisThread() const { return std::this_thread::get_id() == thread_.get_id(); }

  // Returns true in the process that created this object. A forked child gets false, because the
  // I/O thread does not exist there.
  bool BelongsToThisProcess() const { return fork_generation_ == ForkGeneration(); }

 private:
  struct Entry {
    std::shared_ptr<Task> task;
    TimePoint due;
  };

  Result<void> Start();
  void Loop();
  void Reschedule(const Task* task, Entry& entry, TimePoint due);

  const std::uint64_t fork_generation_ = ForkGeneration();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const Task*, Entry> entries_;
  std::set<std::pair<TimePoint, const Task*>> by_due_;
  const Task* running_ = nullptr;
  bool woken_while_running_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cboard::writer

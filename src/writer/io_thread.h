// One thread that does the disk work of many event files.
//
// A SummaryWriter shares one among its files: add_scalars alone may open dozens of sub-runs, and a
// thread for each would cost more than the writing.
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

// Thread-safe. Tasks take turns: one that always has more to do delays the others by one Run() at
// a time. The thread starts with the first task and takes no signals, which are the program's.
class IoThread {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Work that runs on the thread. The thread keeps tasks alive while they are added.
  class Task {
   public:
    virtual ~Task() = default;

    // Does what is due and returns when it wants to run again, unless it is woken before. Should
    // not run for long: a task with much to do returns `now` and goes on in its next turn.
    virtual TimePoint Run(TimePoint now) = 0;
  };

  IoThread() = default;
  ~IoThread();  // Stops after the task that is running; tasks not removed before do not run again.
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  // Fails with kResourceExhausted when the system gives no thread.
  Result<void> Add(std::shared_ptr<Task> task, TimePoint first_due);

  // Runs the task soon. Does nothing when it was removed.
  void Wake(const Task& task);

  // Afterwards the task does not run and never will. Not to be called from Run().
  void Remove(const Task& task);

  // Whether the caller runs on this thread, that is, in some Run(). Only after Add().
  bool OnThisThread() const { return std::this_thread::get_id() == thread_.get_id(); }

  // False in a child process, where the thread does not exist.
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

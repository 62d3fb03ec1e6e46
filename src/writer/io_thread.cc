#include "writer/io_thread.h"

#include <algorithm>
#include <csignal>
#include <system_error>

#include "cboard/writer/writer_options.h"

namespace cboard::writer {
namespace {

// Blocks signals on the current thread while the object lives. A thread that is started meanwhile
// inherits this and handles no signals. The program's signal handlers then run only on the
// program's own threads. A file above the size limit (SIGXFSZ) becomes an error of write() and does
// not end the process. Signals for faults are not blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t most;
    sigfillset(&most);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) {
      sigdelset(&most, fault);
    }
    pthread_sigmask(SIG_SETMASK, &most, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::shared_ptr<IoThread> MakeIoThread() {
  return {new IoThread, [](IoThread* io) {
            // Does not delete the thread object in a forked child, which cannot join a thread of
            // its parent, and not on the I/O thread itself.
            if (io->BelongsToThisProcess() && !io->OnThisThread()) delete io;
          }};
}

IoThread::~IoThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<void> IoThread::Start() {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (const std::system_error& error) {
    return Fail(ErrorCode::kResourceExhausted,
                std::string("cannot start the thread that writes event files: ") + error.what() +
                    "; raise the limit of processes with 'ulimit -u', or use fewer writers");
  }
  return {};
}

Result<void> IoThread::Add(std::shared_ptr<Task> task, TimePoint first_due) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) CBOARD_RETURN_IF_ERROR(Start());
  const Task* key = task.get();
  entries_[key] = {std::move(task), first_due};
  by_due_.emplace(first_due, key);
  changed_.notify_all();
  return {};
}

void IoThread::Reschedule(const Task* task, Entry& entry, TimePoint due) {
  by_due_.erase({entry.due, task});
  entry.due = due;
  by_due_.emplace(due, task);
}

void IoThread::Wake(const Task& task) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&task);
  if (found == entries_.end()) return;
  if (running_ == &task) {
    // The task must run again: its current run may not have seen the new work.
    woken_while_running_ = true;
    return;
  }
  // Makes the task due now, which puts it behind tasks that have waited longer.
  const TimePoint now = std::chrono::steady_clock::now();
  if (found->second.due <= now) return;
  Reschedule(&task, found->second, now);
  changed_.notify_all();
}

void IoThread::Remove(const Task& task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ != &task; });
  const auto found = entries_.find(&task);
  if (found == entries_.end()) return;
  by_due_.erase({found->second.due, &task});
  entries_.erase(found);
}

void IoThread::Loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (by_due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto [due, task] = *by_due_.begin();
    TimePoint now = std::chrono::steady_clock::now();
    if (due > now) {
      changed_.wait_until(lock, due);
      continue;
    }
    const std::shared_ptr<Task> keep = entries_.at(task).task;
    running_ = task;
    woken_while_running_ = false;
    lock.unlock();
    TimePoint next = keep->Run(now);
    lock.lock();
    running_ = nullptr;
    now = std::chrono::steady_clock::now();
    if (woken_while_running_) next = now;
    Reschedule(task, entries_.at(task), std::max(next, now));
    changed_.notify_all();  // Notifies Remove().
  }
}

}  // namespace cboard::writer

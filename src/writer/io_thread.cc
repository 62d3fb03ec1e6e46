#include "writer/io_thread.h"

#include <algorithm>

#include "cboard/writer/writer_options.h"

namespace cboard {

std::shared_ptr<IoThread> MakeIoThread() { return std::make_shared<IoThread>(); }

IoThread::IoThread() : thread_([this] { Loop(); }) {}

IoThread::~IoThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void IoThread::Add(std::shared_ptr<Task> task, TimePoint first_due) {
  const std::lock_guard lock(mutex_);
  const Task* key = task.get();
  entries_[key] = {std::move(task), first_due};
  by_due_.emplace(first_due, key);
  changed_.notify_all();
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
    woken_while_running_ = true;  // It may already be past the work this call is about.
  } else if (found->second.due != TimePoint::min()) {
    Reschedule(&task, found->second, TimePoint::min());
    changed_.notify_all();
  }
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
    const TimePoint now = std::chrono::steady_clock::now();
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
    if (woken_while_running_) next = TimePoint::min();
    if (const auto found = entries_.find(task); found != entries_.end()) {
      Reschedule(task, found->second, next);
    }
    changed_.notify_all();  // For Remove().
  }
}

}  // namespace cboard

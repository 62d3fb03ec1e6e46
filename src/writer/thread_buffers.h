// A buffer per thread and file, so that threads which log do not meet.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "writer/handoff_queue.h"
#include "writer/scalar_encoder.h"

namespace cboard {

// Guards a buffer whose owner takes it for every event and whom nobody else disturbs but a flush:
// one exchange when free, a short sleep when not.
class OwnerLock {
 public:
  bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
  void lock() {
    while (!try_lock()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_ = false;
};

struct ThreadBuffer {
  OwnerLock lock;
  // All below is guarded by `lock`.
  Chunk chunk;
  ScalarEncoder encoder;
  bool file_closed = false;  // The file takes no more events.

  std::atomic<bool> thread_gone = false;  // Another thread may take the buffer over.
};

// The buffers of one file. Thread-safe.
class ThreadBuffers {
 public:
  ThreadBuffers();

  // The calling thread's buffer, made on first use. Valid while this object and the thread live.
  ThreadBuffer& OfThisThread();

  // A copy of the list, for flushing.
  std::vector<std::shared_ptr<ThreadBuffer>> All() const;

  // Buffers made from now on are born closed. Those that exist are the caller's to close.
  void RefuseNew();

 private:
  std::shared_ptr<ThreadBuffer> TakeOverOrMake();

  const std::uint64_t id_;  // Never used again, so that a thread's stale entry matches nothing.
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;
  bool refuse_new_ = false;
};

// Counts the forks that led to this process. State made under another number belongs to the
// parent: its threads do not exist here, and its locks may be held forever.
std::uint64_t ForkGeneration();

}  // namespace cboard

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
//
// An owner that waits for a slow disk holds the lock nearly all the time, so a visitor that only
// tried again and again would hardly ever find it free: owners let visitors go first.
class OwnerLock {
 public:
  bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
  void lock() {
    while (visitors_.load(std::memory_order_relaxed) > 0 || !try_lock()) Sleep();
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

  // Holds the lock for somebody who is not the owner.
  class Visit {
   public:
    explicit Visit(OwnerLock& lock) : lock_(lock) {
      lock_.visitors_.fetch_add(1, std::memory_order_relaxed);
      while (!lock_.try_lock()) Sleep();
      lock_.visitors_.fetch_sub(1, std::memory_order_relaxed);
    }
    ~Visit() { lock_.unlock(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    OwnerLock& lock_;
  };

 private:
  static void Sleep() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

  std::atomic<bool> locked_ = false;
  std::atomic<std::uint32_t> visitors_ = 0;
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

  // The calling thread's buffer, made on first use. Valid while this object lives.
  //
  // A thread that is ending, and so has lost its own, gets one that all such threads share: what
  // a thread_local object, or a static one at exit, logs in its destructor arrives too.
  ThreadBuffer& OfThisThread();

  // A copy of the list, for flushing.
  std::vector<std::shared_ptr<ThreadBuffer>> All() const;

  // Buffers made from now on are born closed. Those that exist are the caller's to close.
  void RefuseNew();

 private:
  ThreadBuffer& Find();
  std::shared_ptr<ThreadBuffer> TakeOverOrMake();
  std::shared_ptr<ThreadBuffer> OfEndingThreads();
  std::shared_ptr<ThreadBuffer> Make();

  const std::uint64_t id_;  // Never used again, so that a thread's stale entry matches nothing.
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;
  std::shared_ptr<ThreadBuffer> of_ending_threads_;  // Null until needed.
  bool refuse_new_ = false;
};

}  // namespace cboard

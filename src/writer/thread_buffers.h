// A buffer per thread and file, so that threads which log do not meet.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/near_thread_local.h"
#include "writer/handoff_queue.h"
#include "writer/owner_lock.h"
#include "writer/scalar_encoder.h"

namespace cboard::writer {

struct ThreadBuffer {
  OwnerLock lock;
  // All below is guarded by `lock`.
  Chunk chunk;
  ScalarEncoder encoder;
  bool file_closed = false;  // The file takes no more events.

  std::atomic<bool> thread_gone = false;  // Another thread may take the buffer over.
  bool of_many_threads = false;           // Has no owner: all are visitors. Never changed.
};

namespace internal {

// The buffer that the thread used last, nearly always the next one too. Plain memory without a
// destructor: still there when the thread's objects are destroyed.
struct LastUsed {
  std::uint64_t id = 0;  // File of this buffer.
  ThreadBuffer* buffer = nullptr;
};
CBOARD_NEAR_THREAD_LOCAL extern thread_local constinit LastUsed t_last;

}  // namespace internal

// The buffers of one file. Thread-safe.
class ThreadBuffers {
 public:
  ThreadBuffers();

  // The calling thread's buffer if it used that last, of all buffers of all files.
  ThreadBuffer* LastOfThisThread() const {
    return internal::t_last.id == id_ ? internal::t_last.buffer : nullptr;
  }

  // The calling thread's buffer, made on first use. Valid while this object lives.
  //
  // A thread that is ending, and so has lost its own, gets one that all such threads share: what
  // a thread_local object, or a static one at exit, logs in its destructor arrives too.
  ThreadBuffer& OfThisThread();

  // A copy of the list, for flushing.
  std::vector<std::shared_ptr<ThreadBuffer>> All() const;

  // Buffers made from now on are born closed. Those that exist are the caller's to close.
  void RejectNewEvents();

 private:
  ThreadBuffer& Find();
  std::shared_ptr<ThreadBuffer> ReuseOrCreateBuffer();
  std::shared_ptr<ThreadBuffer> OfEndingThreads();
  std::shared_ptr<ThreadBuffer> Make();

  const std::uint64_t id_;  // Never used again, so that a thread's stale entry matches nothing.
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;
  std::shared_ptr<ThreadBuffer> of_ending_threads_;  // Null until needed.
  bool refuse_new_ = false;
};

// The calling thread's buffer, locked for as long as this lives.
class HeldBuffer {
 public:
  explicit HeldBuffer(ThreadBuffers& buffers) : buffer_(buffers.OfThisThread()) {
    buffer_.of_many_threads ? buffer_.lock.EnterShared() : buffer_.lock.Own();
  }
  ~HeldBuffer() { buffer_.of_many_threads ? buffer_.lock.LeaveShared() : buffer_.lock.Unlock(); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  ThreadBuffer& operator*() const { return buffer_; }

 private:
  ThreadBuffer& buffer_;
};

}  // namespace cboard::writer

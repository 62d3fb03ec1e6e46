// One buffer per thread and file, so that threads do not wait for each other when they log.
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
  // `lock` protects the members from here to file_closed.
  Chunk chunk;
  ScalarEncoder encoder;
  bool file_closed = false;  // The file takes no more events.

  std::atomic<bool> thread_gone = false;  // Another thread may take the buffer over.
  // True if the buffer has no owner and is shared by many threads, which all lock it as visitors.
  // Never changed.
  bool of_many_threads = false;
};

namespace internal {

// The buffer that the thread has used last. The thread usually uses it again. The type has no
// destructor, so that it still exists while the objects of the thread are destroyed.
struct LastUsed {
  std::uint64_t id = 0;  // Id of the buffer's file.
  ThreadBuffer* buffer = nullptr;
};
CBOARD_NEAR_THREAD_LOCAL extern thread_local constinit LastUsed t_last;

}  // namespace internal

// The buffers of one file. Thread-safe.
class ThreadBuffers {
 public:
  ThreadBuffers();

  // Returns the calling thread's buffer for this file, if it is the buffer that the thread has used
  // last; otherwise null.
  ThreadBuffer* LastOfThisThread() const {
    return internal::t_last.id == id_ ? internal::t_last.buffer : nullptr;
  }

  // Returns the calling thread's buffer; creates it on first use. The buffer is valid while this
  // object lives.
  //
  // A thread that is ending no longer has its own buffer. All ending threads share one buffer.
  // Destructors of thread_local objects, or of static objects at exit, can thus log events that are
  // not lost.
  ThreadBuffer& OfThisThread();

  // Returns a copy of the list of buffers. Flushes use it.
  std::vector<std::shared_ptr<ThreadBuffer>> All() const;

  // Makes sure that buffers that are created from now on reject events. The caller closes existing
  // buffers.
  void RejectNewEvents();

 private:
  ThreadBuffer& Find();
  std::shared_ptr<ThreadBuffer> ReuseOrCreateBuffer();
  std::shared_ptr<ThreadBuffer> OfEndingThreads();
  std::shared_ptr<ThreadBuffer> Make();

  // The id of the file. An id is never used again, so that an old entry of a thread never matches a
  // new file.
  const std::uint64_t id_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;
  std::shared_ptr<ThreadBuffer> of_ending_threads_;  // Null until needed.
  bool refuse_new_ = false;
};

// Locks the calling thread's buffer while the object lives.
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

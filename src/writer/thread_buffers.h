// A buffer per thread and file, so that threads do not wait for each other when they log.
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
  // The members from here on are protected by `lock`.
  Chunk chunk;
  ScalarEncoder encoder;
  bool file_closed = false;  // The file takes no more events.

  std::atomic<bool> thread_gone = false;  // Another thread may take the buffer over.
  // True if the buffer has no owner: all threads are visitors. Never changed.
  bool of_many_threads = false;
};

namespace internal {

// The buffer that the thread used last, which it usually uses next. Has no destructor, so that it
// still exists when the thread's objects are destroyed.
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

  // Returns the calling thread's buffer if it is the last one that the thread used, of all files.
  ThreadBuffer* LastOfThisThread() const {
    return internal::t_last.id == id_ ? internal::t_last.buffer : nullptr;
  }

  // Returns the calling thread's buffer; creates it on first use. Valid while this object lives.
  //
  // A thread that is ending has no buffer of its own any more. All such threads share one, so that
  // events are not lost that thread_local objects, or static objects at exit, log in their
  // destructors.
  ThreadBuffer& OfThisThread();

  // Returns a copy of the list of buffers, for flushing.
  std::vector<std::shared_ptr<ThreadBuffer>> All() const;

  // Makes sure that buffers created from now on are closed. The caller closes existing buffers.
  void RejectNewEvents();

 private:
  ThreadBuffer& Find();
  std::shared_ptr<ThreadBuffer> ReuseOrCreateBuffer();
  std::shared_ptr<ThreadBuffer> OfEndingThreads();
  std::shared_ptr<ThreadBuffer> Make();

  // The id of these buffers. It is never used again, so that an old entry of a thread never matches
  // a new file.
  const std::uint64_t id_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;
  std::shared_ptr<ThreadBuffer> of_ending_threads_;  // Null until needed.
  bool refuse_new_ = false;
};

// Locks the calling thread's buffer during its lifetime.
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

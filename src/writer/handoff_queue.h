// The bounded queue between the threads that log and the thread that writes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"

namespace cboard {

// What a thread gathers before it hands over: large enough that the queue's lock costs nothing per
// event, small enough to stay in the cache.
inline constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

// Encoded records on their way to the file.
struct Chunk {
  std::unique_ptr<std::byte[]> data;
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::size_t written = 0;  // How much of it the disk has taken.

  static Chunk OfCapacity(std::size_t capacity) {
    return {std::make_unique_for_overwrite<std::byte[]>(capacity), capacity, 0, 0};
  }
  ByteSpan unwritten() const { return {data.get() + written, size - written}; }
};

// Thread-safe. Producers push; one consumer takes from the front and says how it went.
class HandoffQueue {
 public:
  HandoffQueue(std::size_t max_chunks, std::size_t max_backlog_bytes)
      : max_chunks_(max_chunks), max_backlog_bytes_(max_backlog_bytes) {}

  // Takes `chunk`, waiting while the queue is full and the disk is only slow. When the disk fails,
  // fails with kResourceExhausted instead once the backlog is full; `chunk` is then untouched.
  // True when the consumer had nothing to do before and wants to be woken.
  Result<bool> Push(Chunk& chunk);

  // As Push, but over the limit rather than waiting: for the little that is left in buffers.
  bool PushPastLimit(Chunk chunk);

  // A written chunk of `capacity` to fill again, or a new one. Fresh memory costs a page fault per
  // 4 KiB, as much as the encoding of the events that fit in there.
  Chunk TakeEmpty(std::size_t capacity);

  // Consumer: the oldest chunk, which stays in the queue until it is written. Null when empty.
  Chunk* Front();
  // Consumer: the front chunk is with the operating system.
  void FrontWritten();
  // Consumer: the disk refused. Waiting flushes return `error`. True if it worked until now.
  bool DiskFailed(const Error& error);
  // Consumer: the disk works. True if it failed until now.
  bool DiskWorks();

  // How many chunks have been pushed so far: the ticket for WaitUntilWritten.
  std::uint64_t pushed() const;

  // Waits until the chunks up to `ticket` are written, or the disk has refused one after this call.
  Result<void> WaitUntilWritten(std::uint64_t ticket);

  std::size_t backlog_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> chunks_;
  std::vector<Chunk> empty_;
  std::size_t max_chunks_;
  std::size_t max_backlog_bytes_;
  std::size_t backlog_bytes_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t refusals_ = 0;
  std::optional<Error> disk_error_;
};

}  // namespace cboard

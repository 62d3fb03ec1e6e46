// The queue between the threads that log and the I/O thread. Its length is limited.
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

namespace cboard::writer {

// Size of a thread's buffer: large enough that the cost of waking the I/O thread is small per
// event, and small enough to stay in the CPU cache.
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// A buffer of encoded records that is written to one file.
struct Chunk {
  std::unique_ptr<std::byte[]> data;
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::size_t written = 0;  // Number of bytes that are written to the disk.

  static Chunk OfCapacity(std::size_t capacity) {
    return {std::make_unique_for_overwrite<std::byte[]>(capacity), capacity, 0, 0};
  }
  ByteSpan bytes() const { return {data.get(), size}; }
  ByteSpan unwritten() const { return {data.get() + written, size - written}; }
};

// The queue of chunks. Thread-safe. Several producers push chunks; one consumer takes them from the
// front and reports the result.
class HandoffQueue {
 public:
  HandoffQueue(std::size_t max_chunks, std::size_t max_backlog_bytes)
      : max_chunks_(max_chunks), max_backlog_bytes_(max_backlog_bytes) {}

  // Appends `chunk`. If `may_wait` is true, waits while the queue is full and the disk works. If
  // the disk fails and the backlog is full, fails with kResourceExhausted and does not change
  // `chunk`. Returns true if the consumer was idle and must be woken.
  Result<bool> Push(Chunk& chunk, bool may_wait = true);

  // Appends the content of a partly filled buffer without waiting, and leaves `chunk` empty. If the
  // disk fails and the backlog is full, returns false and does not change `chunk`.
  //
  // If the last waiting chunk has room, the content is added to it. A program that flushes after
  // every event while the disk is full thus does not queue one chunk per event.
  bool Seal(Chunk& chunk);

  // Returns an empty chunk of `capacity` bytes; reuses an old one if possible. New memory costs a
  // page fault per 4 KiB, which takes as long as encoding the events that fit into these 4 KiB.
  Chunk TakeEmpty(std::size_t capacity);

  // Returns the oldest chunk of the queue, or null if the queue is empty. The chunk stays in the
  // queue until it is written. Only the consumer calls this.
  Chunk* Front();
  // Reports that the first chunk was written to the operating system. Only the consumer calls this.
  void FrontWritten();
  // Reports that the disk failed: flushes that wait return `error`. Returns true if the disk worked
  // before. Only the consumer calls this.
  bool DiskFailed(const Error& error);
  // Reports that the disk works. Returns true if it failed before. Only the consumer calls this.
  bool DiskWorks();

  // A position in the queue, behind all chunks that were pushed so far.
  struct Ticket {
    std::uint64_t chunk = 0;
    std::uint64_t refusals = 0;  // Number of earlier disk errors.
  };
  // Returns a position that has at least one chunk before it that the consumer has not started. The
  // consumer therefore takes one more chunk before it reaches the position.
  Ticket TakeTicket();

  // Waits until all chunks before the ticket are written, or until the disk has failed after the
  // ticket was taken.
  Result<void> WaitUntilWritten(const Ticket& ticket);

  std::size_t backlog_bytes() const;

  // Frees all memory of a queue that is no longer used, and discards its content.
  void Clear();

 private:
  bool BacklogFull(std::size_t more_bytes) const {
    return disk_error_ && backlog_bytes_ + more_bytes > max_backlog_bytes_;
  }
  bool Append(Chunk chunk);

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

}  // namespace cboard::writer

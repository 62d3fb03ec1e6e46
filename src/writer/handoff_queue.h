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

namespace cboard::writer {

// Size of a thread's buffer: large enough that waking the I/O thread costs nothing per event, small
// enough to stay in the CPU cache.
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// Encoded records on their way to the file.
struct Chunk {
  std::unique_ptr<std::byte[]> data;
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::size_t written = 0;  // How much of it the disk has taken.

  static Chunk OfCapacity(std::size_t capacity) {
    return {std::make_unique_for_overwrite<std::byte[]>(capacity), capacity, 0, 0};
  }
  ByteSpan bytes() const { return {data.get(), size}; }
  ByteSpan unwritten() const { return {data.get() + written, size - written}; }
};

// Thread-safe. Producers push; one consumer takes from the front and says how it went.
class HandoffQueue {
 public:
  HandoffQueue(std::size_t max_chunks, std::size_t max_backlog_bytes)
      : max_chunks_(max_chunks), max_backlog_bytes_(max_backlog_bytes) {}

  // Takes `chunk`, waiting while the queue is full and the disk is only slow, if it may wait. When
  // the disk fails, fails with kResourceExhausted instead once the backlog is full; `chunk` is then
  // untouched. True when the consumer had nothing to do before and wants to be woken.
  Result<bool> Push(Chunk& chunk, bool may_wait = true);

  // Takes the little that is left in a buffer, without waiting, and leaves `chunk` empty. False,
  // and `chunk` untouched, when the disk fails and the backlog is full.
  //
  // Goes into the last waiting chunk if there is room: a program that flushes after every event
  // while the disk is full must not queue a chunk for each.
  bool Seal(Chunk& chunk);

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

  // A place in the queue behind all that was pushed so far.
  struct Ticket {
    std::uint64_t chunk = 0;
    std::uint64_t refusals = 0;  // Number of earlier disk errors.
  };
  // The place of a chunk that the consumer has not begun: it will come by once more, at least.
  Ticket TakeTicket();

  // Waits until all in front of the ticket is written, or the disk has refused since it was taken.
  Result<void> WaitUntilWritten(const Ticket& ticket);

  std::size_t backlog_bytes() const;

  // Frees all memory, and what it holds is lost. For a queue that nobody uses any more.
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

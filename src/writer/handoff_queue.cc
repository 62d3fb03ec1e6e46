#include "writer/handoff_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cboard/base/strings.h"

namespace cboard::writer {
namespace {

// Maximum number of empty chunks that are kept for reuse, even if the queue may be longer.
constexpr std::size_t kMaxEmptyChunks = 32;

}  // namespace

// Appends a chunk. Returns true if the queue was empty before.
bool HandoffQueue::Append(Chunk chunk) {
  backlog_bytes_ += chunk.size;
  chunks_.push_back(std::move(chunk));
  ++pushed_;
  return chunks_.size() == 1;
}

Result<bool> HandoffQueue::Push(Chunk& chunk, bool may_wait) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return chunks_.size() < max_chunks_ || disk_error_ || !may_wait; });
  if (BacklogFull(chunk.size)) {
    return Fail(ErrorCode::kResourceExhausted,
                "the event was not logged, because " +
                    HumanBytes(static_cast<double>(backlog_bytes_)) +
                    " of earlier events could not be written to the disk yet (" +
                    disk_error_->message + ")");
  }
  return Append(std::exchange(chunk, {}));
}

bool HandoffQueue::Seal(Chunk& chunk) {
  if (chunk.size == 0) return true;
  const std::lock_guard lock(mutex_);
  if (BacklogFull(chunk.size)) return false;
  // Appends the content to the last chunk. The first chunk of the queue is not changed, because the
  // consumer uses it without the lock.
  if (chunks_.size() > 1 && chunks_.back().capacity - chunks_.back().size >= chunk.size) {
    Chunk& last = chunks_.back();
    std::memcpy(last.data.get() + last.size, chunk.data.get(), chunk.size);
    last.size += chunk.size;
    backlog_bytes_ += chunk.size;
    chunk.size = 0;
  } else {
    Append(std::exchange(chunk, {}));
  }
  return true;
}

Chunk HandoffQueue::TakeEmpty(std::size_t capacity) {
  {
    const std::lock_guard lock(mutex_);
    if (!empty_.empty() && empty_.back().capacity == capacity) {
      Chunk chunk = std::move(empty_.back());
      empty_.pop_back();
      return chunk;
    }
  }
  return Chunk::OfCapacity(capacity);
}

Chunk* HandoffQueue::Front() {
  const std::lock_guard lock(mutex_);
  // The caller uses the first chunk without the lock. This is safe, because push_back does not move
  // existing elements.
  return chunks_.empty() ? nullptr : &chunks_.front();
}

void HandoffQueue::FrontWritten() {
  {
    const std::lock_guard lock(mutex_);
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    backlog_bytes_ -= chunk.size;
    ++written_;
    // Reuses only chunks of the default size, so that the memory of one large image is released.
    if (chunk.capacity == kChunkBytes && empty_.size() < std::min(max_chunks_, kMaxEmptyChunks)) {
      chunk.size = chunk.written = 0;
      empty_.push_back(std::move(chunk));
    }
  }
  changed_.notify_all();
}

bool HandoffQueue::DiskFailed(const Error& error) {
  bool first;
  {
    const std::lock_guard lock(mutex_);
    first = !disk_error_;
    disk_error_ = error;
    ++refusals_;
  }
  changed_.notify_all();
  return first;
}

bool HandoffQueue::DiskWorks() {
  const std::lock_guard lock(mutex_);
  return std::exchange(disk_error_, std::nullopt).has_value();
}

HandoffQueue::Ticket HandoffQueue::TakeTicket() {
  const std::lock_guard lock(mutex_);
  if (chunks_.size() < 2) Append({});
  return {.chunk = pushed_, .refusals = refusals_};
}

Result<void> HandoffQueue::WaitUntilWritten(const Ticket& ticket) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return written_ >= ticket.chunk || (refusals_ > ticket.refusals && disk_error_);
  });
  if (written_ >= ticket.chunk) return {};
  return Fail(*disk_error_);
}

std::size_t HandoffQueue::backlog_bytes() const {
  const std::lock_guard lock(mutex_);
  return backlog_bytes_;
}

void HandoffQueue::Clear() {
  const std::lock_guard lock(mutex_);
  chunks_.clear();
  empty_.clear();
  empty_.shrink_to_fit();
  backlog_bytes_ = 0;
}

}  // namespace cboard::writer

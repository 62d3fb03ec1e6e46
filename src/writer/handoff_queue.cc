#include "writer/handoff_queue.h"

#include <utility>

#include "cboard/base/strings.h"

namespace cboard {

Result<bool> HandoffQueue::Push(Chunk& chunk) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return chunks_.size() < max_chunks_ || disk_error_; });
  if (disk_error_ && backlog_bytes_ + chunk.size > max_backlog_bytes_) {
    return Fail(ErrorCode::kResourceExhausted,
                "event not accepted: " + HumanBytes(static_cast<double>(backlog_bytes_)) +
                    " already wait for the disk (" + disk_error_->message + ")");
  }
  const bool was_empty = chunks_.empty();
  backlog_bytes_ += chunk.size;
  chunks_.push_back(std::exchange(chunk, {}));
  ++pushed_;
  return was_empty;
}

bool HandoffQueue::PushPastLimit(Chunk chunk) {
  const std::lock_guard lock(mutex_);
  const bool was_empty = chunks_.empty();
  backlog_bytes_ += chunk.size;
  chunks_.push_back(std::move(chunk));
  ++pushed_;
  return was_empty;
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
  return chunks_.empty() ? nullptr : &chunks_.front();  // push_back leaves it where it is.
}

void HandoffQueue::FrontWritten() {
  {
    const std::lock_guard lock(mutex_);
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    backlog_bytes_ -= chunk.size;
    ++written_;
    // Only chunks of the usual size come back; one image must not pin its megabytes.
    if (chunk.capacity == kChunkBytes && empty_.size() < max_chunks_) {
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

std::uint64_t HandoffQueue::pushed() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

std::size_t HandoffQueue::backlog_bytes() const {
  const std::lock_guard lock(mutex_);
  return backlog_bytes_;
}

Result<void> HandoffQueue::WaitUntilWritten(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  const std::uint64_t refusals_before = refusals_;
  changed_.wait(lock,
                [&] { return written_ >= ticket || (refusals_ > refusals_before && disk_error_); });
  if (written_ >= ticket) return {};
  return Fail(*disk_error_);
}

}  // namespace cboard

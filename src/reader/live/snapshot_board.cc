#include "reader/live/snapshot_board.h"

#include <utility>

namespace cboard::reader {

SnapshotBoard::SnapshotBoard() : current_(std::make_shared<Snapshot>()) {}

std::shared_ptr<const Snapshot> SnapshotBoard::Current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

void SnapshotBoard::Publish(std::shared_ptr<const Snapshot> snapshot) {
  std::vector<std::shared_ptr<Entry>> listeners;
  std::shared_ptr<const Snapshot> old = snapshot;  // Destroyed last, after the lock is released.
  {
    std::lock_guard lock(mutex_);
    current_.swap(old);
    std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
    for (const auto& listener : listeners_) {
      if (auto entry = listener.lock()) listeners.push_back(std::move(entry));
    }
  }
  changed_.notify_all();
  for (const std::shared_ptr<Entry>& entry : listeners) {
    std::lock_guard lock(entry->mutex);
    if (entry->is_active) entry->listener(snapshot);
  }
}

bool SnapshotBoard::WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return is_closed_ || current_->version > version; });
  return current_->version > version;
}

void SnapshotBoard::WaitUntilComplete() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_closed_ || current_->progress.complete; });
}

std::shared_ptr<void> SnapshotBoard::Listen(LogReader::Listener listener) {
  auto entry = std::make_shared<Entry>();
  entry->listener = std::move(listener);
  {
    std::lock_guard lock(mutex_);
    listeners_.push_back(entry);
  }
  // Destroying the returned object removes the listener. It waits for a running call of the
  // listener, unless this call destroys the object.
  void* const address = entry.get();
  return {address, [entry = std::move(entry)](void*) {
            std::lock_guard lock(entry->mutex);
            entry->is_active = false;
          }};
}

void SnapshotBoard::Close() {
  {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace cboard::reader

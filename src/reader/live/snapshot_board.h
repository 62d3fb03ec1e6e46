// Publishes the current snapshot, and lets threads wait for the next one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cboard/reader/log_reader.h"

namespace cboard::reader {

// The board with the current snapshot. All methods may be called from any thread.
class SnapshotBoard {
 public:
  SnapshotBoard();

  std::shared_ptr<const Snapshot> Current() const;

  // Publishes `snapshot` and calls the listeners.
  void Publish(std::shared_ptr<const Snapshot> snapshot);

  // Waits until there is a snapshot newer than `version`, and returns true. Returns false after
  // `timeout` or Close().
  bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const;

  // Waits until a snapshot contains all data that existed at the start, or until Close().
  void WaitUntilComplete() const;

  // Registers a listener, like LogReader::Listen().
  std::shared_ptr<void> Listen(LogReader::Listener listener);

  // Ends all waiting calls.
  void Close();

 private:
  // A listener. Its mutex is locked during a call, and always before the board's own mutex.
  struct Entry {
    std::recursive_mutex mutex;
    LogReader::Listener listener;
    bool is_active = true;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<const Snapshot> current_;
  bool is_closed_ = false;
  std::vector<std::weak_ptr<Entry>> listeners_;
};

}  // namespace cboard::reader

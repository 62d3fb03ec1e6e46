// The log directory as it was a moment ago, read in the background.
//
//   LogStore store("runs", std::chrono::seconds(5));
//   std::shared_ptr<const LogSnapshot> snapshot = store.snapshot();  // Never waits for the disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cboard/base/result.h"
#include "server/comparison_table.h"
#include "server/run_log.h"

namespace cboard {

struct LogSnapshot {
  std::uint64_t generation = 0;  // 0: nothing has been read yet. Grows when something changed.
  std::vector<std::shared_ptr<const RunLog>> runs = {};  // In the order of their names.
  ComparisonTable comparison = {};
  std::vector<Error> unreadable = {};  // Directories that could not be listed.
  std::optional<Error> error = {};     // Why there is nothing at all: the directory is missing.

  // Each fails with kNotFound.
  Result<const RunLog*> FindRun(std::string_view name) const;
  Result<const TagScan*> FindScalars(std::string_view run, std::string_view tag) const;
};

// Thread-safe. The destructor waits for the file that is being read.
class LogStore {
 public:
  // Starts reading at once, and again `reload_interval` after each time it is done; 0 reads once.
  LogStore(std::filesystem::path logdir, std::chrono::milliseconds reload_interval);

  // Never nullptr.
  std::shared_ptr<const LogSnapshot> snapshot() const;

  // Waits until the directory has been read for the first time, at most `timeout`. True if it has.
  bool WaitForFirstLoad(std::chrono::milliseconds timeout) const;

  const std::filesystem::path& logdir() const { return logdir_; }

 private:
  struct Known {
    std::string fingerprint;  // Changes when the files do.
    std::shared_ptr<const RunLog> log;
  };

  void ReloadUntil(std::stop_token stop);
  void Reload(const std::stop_token& stop);
  void Publish(LogSnapshot snapshot);

  const std::filesystem::path logdir_;
  const std::chrono::milliseconds reload_interval_;
  std::map<std::string, Known> known_;  // By run; the reloading thread's own.

  mutable std::mutex mutex_;  // Of what follows.
  mutable std::condition_variable_any changed_;
  std::shared_ptr<const LogSnapshot> snapshot_ = std::make_shared<LogSnapshot>();

  std::jthread thread_;  // Last, so that it ends before what it uses.
};

}  // namespace cboard

// The log reader. One thread knows all directories and publishes snapshots; a pool of threads reads
// files for it.
//
//   watcher ──► LogTree ──► files to read ──► WorkerPool ──► views ──► SnapshotMaker ──► board
//
// The thread never waits for a file: the pool reads long files and puts the results into a list.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "reader/live/change_watcher.h"
#include "reader/live/index_cache.h"
#include "reader/live/log_tree.h"
#include "reader/live/snapshot_board.h"
#include "reader/live/snapshot_maker.h"
#include "reader/live/wake_up.h"
#include "reader/live/worker_pool.h"

namespace cboard::reader {

class LiveReader final : public LogReader {
 public:
  LiveReader(ReaderOptions options, std::unique_ptr<WakeUp> wake_up);
  ~LiveReader() override;

  std::shared_ptr<const Snapshot> snapshot() const override { return board_.Current(); }
  void WaitUntilLoaded() const override { board_.WaitUntilComplete(); }
  bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const override {
    return board_.WaitForChange(version, timeout);
  }
  std::shared_ptr<void> Listen(Listener listener) override {
    return board_.Listen(std::move(listener));
  }
  void Refresh() override;
  ReaderStatistics statistics() const override;

 private:
  using Clock = std::chrono::steady_clock;

  // The result of a task of the pool.
  struct Finished {
    std::shared_ptr<TreeFile> file;
    ReadOutcome outcome;
  };

  void Run();
  void Wait();
  void TakeChanges();
  void AddFinished(Finished finished);
  void TakeFinished();
  void TakeOutcome(TreeFile& file, ReadOutcome outcome);
  void CheckTimers();
  void StartReading();
  bool ReadHere(const std::shared_ptr<TreeFile>& file);
  void ReadInPool(const std::shared_ptr<TreeFile>& file);
  void StoreIfDue();
  void FinishLoading();
  void FinishRefresh();
  void WatchIfDue();
  void PublishIfDue();
  void Publish();
  ReadOptions ReadingOptions(Workers* workers);
  OpenedFile OpenFile(std::size_t logdir, const std::string& path, const FileStatus& seen,
                      TagInfoMemory& tags) const;

  // The following members belong to the cache of indexes.
  using StoreList = std::vector<std::pair<std::string, std::shared_ptr<FollowedFile>>>;
  StoreList FilesToStore();
  bool IsCacheStale() const;
  void WriteCache(const StoreList& files, bool may_stop);
  std::string StoredName(std::size_t logdir, const std::string& path) const;

  const ReaderOptions options_;
  std::vector<std::string> absolute_logdirs_;
  std::filesystem::path cache_path_;  // Empty: no cache is used.
  std::shared_ptr<const IndexCache> cache_;
  std::vector<Error> notices_;              // Error messages for snapshots.
  std::unique_ptr<ChangeWatcher> watcher_;  // nullptr: directories are polled.
  SnapshotBoard board_;
  const std::unique_ptr<WakeUp> wake_up_;
  std::atomic<bool> is_stopping_ = false;
  // True while files that existed at the start are being read.
  std::atomic<bool> is_loading_ = true;
  std::atomic<std::size_t> at_pool_ = 0;  // The number of files that the pool is reading.

  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> events_read_ = 0;
  std::atomic<std::uint64_t> cached_bytes_ = 0;
  std::atomic<std::uint64_t> cached_files_ = 0;
  std::atomic<std::uint64_t> snapshots_ = 0;
  std::atomic<std::uint64_t> scalar_bytes_ = 0;
  std::atomic<std::uint64_t> blob_index_bytes_ = 0;
  std::atomic<std::uint64_t> watched_directories_ = 0;
  // The value of bytes_read_ when the cache was last written.
  std::atomic<std::uint64_t> stored_at_bytes_ = 0;

  std::mutex finished_mutex_;
  std::vector<Finished> finished_;  // Protected by finished_mutex_.

  mutable std::mutex refresh_mutex_;
  std::condition_variable refreshed_;
  std::uint64_t refreshes_asked_ = 0;  // Protected by refresh_mutex_, like the next member.
  std::uint64_t refreshes_done_ = 0;

  // Only the reader's thread uses the following members.
  std::uint64_t refreshes_begun_ = 0;
  std::unique_ptr<LogTree> tree_;
  std::unique_ptr<SnapshotMaker> maker_;
  std::size_t reading_ = 0;  // The number of files in the pool.
  int lists_left_ = 20;      // How often vanished files may still be looked up again.
  bool has_vanished_ = false;
  bool is_complete_ = false;
  bool needs_publishing_ = true;
  std::uint64_t total_bytes_ = 0;  // The total size of the files that existed at the start.
  std::uint64_t published_bytes_ = 0;
  std::multimap<Clock::time_point, std::weak_ptr<TreeFile>> to_read_again_;
  bool is_cache_written_ = false;
  bool is_watching_ = false;
  Clock::time_point next_watching_;
  Clock::time_point next_publishing_;
  Clock::time_point next_check_;
  Clock::time_point next_polling_;

  const std::unique_ptr<WorkerPool> pool_;
  std::thread thread_;
};

}  // namespace cboard::reader

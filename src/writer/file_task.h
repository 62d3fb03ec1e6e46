// The work of the I/O thread for one event file: writes queued bytes, moves the threads' buffers to
// the queue at regular intervals, and handles a full disk and a deleted file.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "cboard/base/result.h"
#include "cboard/writer/writer_options.h"
#include "writer/bucket_files.h"
#include "writer/event_file.h"
#include "writer/handoff_queue.h"
#include "writer/io_thread.h"
#include "writer/thread_buffers.h"

namespace cboard::writer {

// Returns the time between two flushes: `seconds`, limited to 10 ms and a century.
std::chrono::steady_clock::duration FlushInterval(double seconds);

class FileTask final : public IoThread::Task {
 public:
  // Creates the task of a file. Without a file, `path` is the directory of the run, and the task
  // never runs. With a `bucket`, `file` is its first file, and more follow.
  FileTask(std::optional<EventFile> file, std::filesystem::path path, const WriterOptions& options,
           std::shared_ptr<BucketFiles> bucket);

  IoThread::TimePoint Run(IoThread::TimePoint now) override;

  // The time at which the task should first run.
  IoThread::TimePoint first_due() const { return next_flush_; }

  // Requests a check whether the file was deleted. It is done before tickets that are taken after
  // this call are reached.
  void CheckName() { check_name_ = true; }

  // Writes the record during the call, for files without an I/O thread in this process. Fails with
  // kFailedPrecondition if the file is closed or deleted.
  Result<void> WriteAtOnce(ByteSpan record);

  // Waits until everything that was written is durable: in the bucket, if there is one, or on the
  // disk, if the options request it. After a failure of the disk, every later call fails, because
  // the system may have discarded some of the bytes.
  Result<void> Sync();

  // Calls Sync() and closes the bucket's part. If the bucket cannot be reached, its events stay on
  // the disk, and the error says where.
  Result<void> SyncLast();

  // Closes the file in this process. WriteAtOnce() fails afterwards.
  void CloseFile();

  // Closes the file and discards unwritten data. The task must no longer run.
  void Release();

  const std::filesystem::path& path() const { return path_; }

  HandoffQueue queue;
  ThreadBuffers buffers;

 private:
  enum class Drained { kAll, kSome, kRefused };

  bool SealIdleBuffers();
  bool RestoreIfVanished();
  Drained Drain();
  bool Refused(const Error& error);
  void DiskWorks();
  void SyncInTime();
  void BeginNextFile();

  using Duration = IoThread::TimePoint::duration;

  std::filesystem::path path_;
  const std::shared_ptr<BucketFiles> bucket_;  // Null for files on the disk.
  std::optional<EventFile> file_;  // Changed only under a ForkBlocker, because children read it.
  Duration flush_interval_;
  IoThread::TimePoint next_flush_;
  Duration retry_;
  bool failing_ = false;
  const bool durable_;
  // True if data was written since the last SyncInTime(). Used only by the I/O thread.
  bool has_unsynced_ = false;
  std::atomic<bool> has_sync_failed_ = false;
  std::atomic<bool> check_name_ = false;
  std::function<void(const std::optional<Error>&)> on_disk_error_;
};

}  // namespace cboard::writer

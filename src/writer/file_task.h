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

// Returns the time between two flushes: `seconds`, but at least 10 ms and at most a century.
std::chrono::steady_clock::duration FlushInterval(double seconds);

class FileTask final : public IoThread::Task {
 public:
  // Creates the task of a file. If there is no file, `path` is the directory of the run, and the
  // task never runs. If there is a `bucket`, `file` is the first of several files.
  FileTask(std::optional<EventFile> file, std::filesystem::path path, const WriterOptions& options,
           std::shared_ptr<BucketFiles> bucket);

  IoThread::TimePoint Run(IoThread::TimePoint now) override;

  // Returns the time at which the task should run for the first time.
  IoThread::TimePoint first_due() const { return next_flush_; }

  // Requests a check whether the file was deleted. The I/O thread does the check before it reaches
  // any position in the queue (HandoffQueue::Ticket) that is taken after this call.
  void CheckName() { check_name_ = true; }

  // Writes the record before the call returns, for files that have no I/O thread in this process.
  // Fails with kFailedPrecondition if the file is closed or deleted.
  Result<void> WriteAtOnce(ByteSpan record);

  // Waits until all written data is in the bucket or, if there is no bucket and the options are
  // durable, on the disk. After a failure of the disk, every later call fails too, because the
  // system may have discarded some of the data.
  Result<void> Sync();

  // Calls Sync(), and closes the run in the bucket if there is one. If the bucket cannot be
  // reached, the events stay on the disk, and the error says where they are.
  Result<void> SyncLast();

  // Closes the file in this process. WriteAtOnce() fails afterwards.
  void CloseFile();

  // Closes the file and discards data that is not written. The task must not run afterwards.
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
  // True if data was written since the last SyncInTime(). Only the I/O thread uses it.
  bool has_unsynced_ = false;
  std::atomic<bool> has_sync_failed_ = false;
  std::atomic<bool> check_name_ = false;
  std::function<void(const std::optional<Error>&)> on_disk_error_;
};

}  // namespace cboard::writer

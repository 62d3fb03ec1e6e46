// The I/O thread's work for one event file: it writes queued bytes, seals the threads' buffers in
// time, and handles a full disk and a deleted file.
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

// The time between two flushes: `seconds`, within 10 ms and a century.
std::chrono::steady_clock::duration FlushInterval(double seconds);

class FileTask final : public IoThread::Task {
 public:
  // Without a file, `path` is the directory of the run, and the task never runs. With a `bucket`,
  // `file` is its first file, and more follow.
  FileTask(std::optional<EventFile> file, std::filesystem::path path, const WriterOptions& options,
           std::shared_ptr<BucketFiles> bucket);

  IoThread::TimePoint Run(IoThread::TimePoint now) override;

  // When the task should first run by itself.
  IoThread::TimePoint first_due() const { return next_flush_; }

  // Before a ticket that is taken after this call is good, the file is looked for.
  void CheckName() { check_name_ = true; }

  // Writes the record within the call. For files that have no I/O thread in this process. Fails
  // with kFailedPrecondition when the file is closed or deleted.
  Result<void> WriteAtOnce(ByteSpan record);

  // Returns when all that was written is in the bucket, if there is one, or on the disk, if the
  // options ask for it: they are durable. Once the disk has
  // failed, it fails for ever: the system may have given up on some of the bytes.
  Result<void> Sync();

  // Sync(), and the end of the bucket's part. A bucket that cannot be reached keeps its events on
  // the disk, and the error says where.
  Result<void> SyncLast();

  // Closes the file in this process. WriteAtOnce() fails afterwards.
  void CloseFile();

  // Closes the file and drops everything not written; the task must not run any more.
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
  std::optional<EventFile> file_;  // Changed only under a ForkBlocker: children read it.
  Duration flush_interval_;
  IoThread::TimePoint next_flush_;
  Duration retry_;
  bool failing_ = false;
  const bool durable_;
  bool has_unsynced_ = false;  // Written since the last SyncInTime(). Used by the I/O thread only.
  std::atomic<bool> has_sync_failed_ = false;
  std::atomic<bool> check_name_ = false;
  std::function<void(const std::optional<Error>&)> on_disk_error_;
};

}  // namespace cboard::writer

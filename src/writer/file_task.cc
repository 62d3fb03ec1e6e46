#include "writer/file_task.h"

#include <algorithm>
#include <utility>

#include "cboard/base/durable_files.h"
#include "cboard/base/strings.h"
#include "writer/partial_record.h"
#include "writer/per_process.h"

namespace cboard::writer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Delay before a failed write is repeated, unless a thread flushes earlier.
constexpr auto kRetryAfter = milliseconds(100);
// Maximum delay between attempts to write to a disk that fails for a long time.
constexpr auto kMaxRetryInterval = std::chrono::seconds(1);

// Maximum number of chunks that are written before it is the turn of the other files on this
// thread.
constexpr int kChunksPerTurn = 64;

}  // namespace

// Converts the flush interval and limits it. The maximum of a century cannot overflow the clock; a
// shorter interval than the minimum would keep a processor busy.
steady_clock::duration FlushInterval(double seconds) {
  constexpr double kMinInterval = 0.01;
  constexpr double kNever = 100.0 * 365 * 24 * 3600;
  if (!(seconds >= kMinInterval)) seconds = kMinInterval;
  return std::chrono::duration_cast<steady_clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kNever)));
}

FileTask::FileTask(std::optional<EventFile> file, std::filesystem::path path,
                   const WriterOptions& options, std::shared_ptr<BucketFiles> bucket)
    : queue(std::max<std::size_t>(options.max_queue, 1), options.max_backlog_bytes),
      path_(std::move(path)),
      bucket_(std::move(bucket)),
      file_(std::move(file)),
      flush_interval_(FlushInterval(options.flush_secs)),
      next_flush_(steady_clock::now() + flush_interval_),
      retry_(kRetryAfter),
      durable_(options.durable),
      on_disk_error_(options.on_disk_error) {}

IoThread::TimePoint FileTask::Run(IoThread::TimePoint now) {
  bool all_sealed = true;
  const bool flush_due = now >= next_flush_;
  if (flush_due) {
    all_sealed = SealIdleBuffers();
    if (all_sealed) next_flush_ = now + flush_interval_;
  }
  Drained drained = Drained::kRefused;
  if (!(flush_due || failing_) || RestoreIfVanished()) drained = Drain();
  if (drained == Drained::kRefused) {
    retry_ = std::min<Duration>(retry_ * 2, kMaxRetryInterval);
    return now + retry_;
  }
  DiskWorks();
  if (drained == Drained::kSome) return now;
  if (flush_due) SyncInTime();
  // If a buffer was in use, runs again very soon, because the owner of the buffer will release it
  // soon.
  return all_sealed ? next_flush_ : now + milliseconds(1);
}

Result<void> FileTask::WriteAtOnce(ByteSpan record) {
  const ForkBlocker one_at_a_time;  // A forked child must not inherit it locked.
  // A forked child cannot write here: it opens the run in the bucket again, with its own folder of
  // unsent files.
  if (!file_ || (bucket_ && !bucket_->BelongsToThisProcess())) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the writer is closed; create a new writer to log more events");
  }
  if (bucket_) CBOARD_RETURN_IF_ERROR(bucket_->RoomLeft());
  if (file_->Vanished()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "event file " + Quoted(path_.native(), 300) + " was deleted; create a new writer");
  }
  std::size_t written = 0;
  Result<void> result = file_->WriteSome(record, written);
  // Removes a partial record. The parent process may append more records, and readers could not
  // find records after a partial one.
  if (!result && written > 0) static_cast<void>(file_->RemovePartial(written));
  if (result && bucket_) {
    bucket_->Written(record.size());
    if (bucket_->WantsNextFile()) {
      if (Result<EventFile> next = bucket_->NextFile()) file_ = *std::move(next);
    }
  }
  return result;
}

Result<void> FileTask::Sync() {
  if (bucket_) return bucket_->Store();
  if (!durable_) return {};
  std::shared_ptr<const File> file;
  {
    const ForkBlocker blocked;
    if (!file_) return {};
    file = file_->file();
  }
  if (has_sync_failed_) {
    return Fail(
        ErrorCode::kUnavailable,
        "some events of " + Quoted(path_.native(), 300) +
            " may be missing on the disk, because an earlier write failed; create a new writer");
  }
  Result<void> synced = SyncFile(*file);
  if (!synced) has_sync_failed_ = true;
  return synced;
}

Result<void> FileTask::SyncLast() { return bucket_ ? bucket_->Close() : Sync(); }

// Calls Sync() after a periodic flush. Reports an error to on_disk_error_, because no caller waits
// for the result.
void FileTask::SyncInTime() {
  if (!std::exchange(has_unsynced_, false) || has_sync_failed_) return;
  if (bucket_) return bucket_->StoreSoon();
  if (const Result<void> synced = Sync(); !synced && on_disk_error_) on_disk_error_(synced.error());
}

void FileTask::CloseFile() {
  const ForkBlocker blocked;
  file_.reset();
}

void FileTask::Release() {
  CloseFile();
  queue.Clear();
}

// Moves the content of the threads' buffers to the queue. Skips buffers in use, and returns false
// if there are any.
bool FileTask::SealIdleBuffers() {
  bool all = true;
  for (const auto& buffer : buffers.All()) {
    if (!buffer->lock.TryEnterShared()) {
      all = false;
      continue;
    }
    // If the backlog is full, the events stay in the buffer until the next flush.
    static_cast<void>(queue.Seal(buffer->chunk));
    buffer->lock.LeaveShared();
  }
  return all;
}

bool FileTask::RestoreIfVanished() {
  if (!file_->Vanished()) return true;
  const std::string deleted = "event file " + Quoted(path_.native(), 300) + " was deleted";
  if (const auto restored = file_->Restore(); !restored) {
    return Refused(Annotate(restored.error(), deleted));
  }
  if (on_disk_error_) {
    on_disk_error_(
        Error{ErrorCode::kUnavailable, "the writer wrote its file again completely, because the " +
                                           deleted + " while it was in use"});
  }
  return true;
}

FileTask::Drained FileTask::Drain() {
  for (int turn = 0; turn < kChunksPerTurn; ++turn) {
    Chunk* const chunk = queue.Front();
    if (chunk == nullptr) return Drained::kAll;
    if (check_name_.exchange(false) && !RestoreIfVanished()) return Drained::kRefused;
    if (bucket_) {
      if (const Result<void> room = bucket_->RoomLeft(); !room) {
        Refused(room.error());
        return Drained::kRefused;
      }
    }
    std::size_t written = 0;
    const Result<void> result = file_->WriteSome(chunk->unwritten(), written);
    chunk->written += written;
    has_unsynced_ = has_unsynced_ || written > 0;
    if (!result) {
      // Removes the part of the last record that was written: the process may end before the disk
      // accepts the rest of the record.
      const std::size_t partial_bytes = PartialRecordBytes(chunk->bytes(), chunk->written);
      if (file_->RemovePartial(partial_bytes)) chunk->written -= partial_bytes;
      Refused(result.error());
      return Drained::kRefused;
    }
    if (chunk->size > 0) DiskWorks();
    if (bucket_) bucket_->Written(chunk->size);  // Must come before Flush() continues with Sync().
    queue.FrontWritten();
    if (bucket_ && bucket_->WantsNextFile()) BeginNextFile();
  }
  return Drained::kSome;
}

// Starts the next file of a run in a bucket. If the file cannot be created, the current file stays
// in use.
void FileTask::BeginNextFile() {
  Result<EventFile> next = bucket_->NextFile();
  if (!next) return;
  bucket_->StoreSoon();
  const ForkBlocker blocked;
  file_ = *std::move(next);
}

bool FileTask::Refused(const Error& error) {
  failing_ = true;
  if (queue.DiskFailed(error) && on_disk_error_) on_disk_error_(error);
  return false;
}

void FileTask::DiskWorks() {
  retry_ = kRetryAfter;
  if (!std::exchange(failing_, false)) return;
  queue.DiskWorks();
  if (on_disk_error_) on_disk_error_(std::nullopt);
}

}  // namespace cboard::writer

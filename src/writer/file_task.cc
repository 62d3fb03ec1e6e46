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

// How soon a disk that refused is tried again when nobody flushes.
constexpr auto kRetryAfter = milliseconds(100);
// A disk that has been failing for long is asked no more often than this.
constexpr auto kMaxRetryInterval = std::chrono::seconds(1);

// How many chunks are written before other files on the thread have their turn.
constexpr int kChunksPerTurn = 64;

}  // namespace

// A century is as good as never and does not overflow the clock; and no time at all would keep a
// processor busy with looking for events.
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
  // A buffer that was in use is about to be handed over, or free in a moment.
  return all_sealed ? next_flush_ : now + milliseconds(1);
}

Result<void> FileTask::WriteAtOnce(ByteSpan record) {
  const ForkBlocker one_at_a_time;  // A child of this process must not find it locked.
  // A child of the process that opened a run in a bucket opens it again, with a folder of its own.
  if (!file_ || (bucket_ && !bucket_->BelongsToThisProcess())) {
    return Fail(ErrorCode::kFailedPrecondition, "the event file is closed");
  }
  if (bucket_) CBOARD_RETURN_IF_ERROR(bucket_->RoomLeft());
  if (file_->Vanished()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "event file " + Quoted(path_.native(), 300) + " was deleted; open a new writer");
  }
  std::size_t written = 0;
  Result<void> result = file_->WriteSome(record, written);
  // A part of the record would hide what the parent writes behind it from other readers.
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
    return Fail(ErrorCode::kUnavailable,
                "some events of " + Quoted(path_.native(), 300) +
                    " may be missing on the disk, which failed to confirm them before; open a new "
                    "writer");
  }
  Result<void> synced = SyncFile(*file);
  if (!synced) has_sync_failed_ = true;
  return synced;
}

Result<void> FileTask::SyncLast() { return bucket_ ? bucket_->Close() : Sync(); }

// As Sync(), after a periodic flush; nobody else would hear of an error.
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

// Hands over what threads hold, leaving out buffers in use. False if there were any.
bool FileTask::SealIdleBuffers() {
  bool all = true;
  for (const auto& buffer : buffers.All()) {
    if (!buffer->lock.TryEnterShared()) {
      all = false;
      continue;
    }
    // Events that a full backlog refuses stay in the buffer until the next flush.
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
    on_disk_error_(Error{ErrorCode::kUnavailable,
                         deleted + " while in use; it has been written again in full"});
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
      // The process may end before there is room for the rest.
      const std::size_t partial_bytes = PartialRecordBytes(chunk->bytes(), chunk->written);
      if (file_->RemovePartial(partial_bytes)) chunk->written -= partial_bytes;
      Refused(result.error());
      return Drained::kRefused;
    }
    if (chunk->size > 0) DiskWorks();
    if (bucket_) bucket_->Written(chunk->size);  // Before Flush() goes on to Sync().
    queue.FrontWritten();
    if (bucket_ && bucket_->WantsNextFile()) BeginNextFile();
  }
  return Drained::kSome;
}

// A file that cannot be created leaves the one before in use.
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

#include "cboard/writer/event_file_writer.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_writer.h"
#include "writer/bucket_files.h"
#include "writer/event_file.h"
#include "writer/file_task.h"
#include "writer/handoff_queue.h"
#include "writer/io_thread.h"
#include "writer/per_process.h"
#include "writer/summary/tag_cleaning.h"
#include "writer/thread_buffers.h"

namespace cboard::writer {
namespace {

Error Closed() {
  return {ErrorCode::kFailedPrecondition, "the event file is closed; open a new writer"};
}

Error WouldDeadlock() {
  return {ErrorCode::kFailedPrecondition,
          "Flush() and Close() wait for the I/O thread, so on_disk_error, which it calls, must not "
          "call them; do so from another thread"};
}

}  // namespace

// Locks are taken in this order: close_mutex_, ThreadBuffer::lock, the queue's own lock. The I/O
// thread must never wait for a ThreadBuffer::lock: the owner of the buffer may hold it while it
// waits for the queue to become shorter, and only the I/O thread makes the queue shorter.
class EventFileWriter::Impl {
 public:
  Impl(std::optional<EventFile> file, std::filesystem::path path, const WriterOptions& options,
       std::shared_ptr<BucketFiles> bucket)
      : begins_with_version_(!options.event_sink && bucket == nullptr),
        task_(std::make_shared<FileTask>(std::move(file), std::move(path), options,
                                         std::move(bucket))),
        io_(options.io_thread != nullptr && options.io_thread->BelongsToThisProcess()
                ? options.io_thread
                : MakeIoThread()),
        sink_(options.event_sink),
        write_at_once_(options.write_at_once || sink_) {}

  Result<void> Start() {
    if (write_at_once_) return {};
    return io_->Add(task_, task_->first_due());
  }

  bool BelongsToThisProcess() const { return fork_generation_ == ForkGeneration(); }

  // True if each event is written during the add call. This is also true in a forked child: the I/O
  // thread and the buffers belong to the parent process, but parent and child share the file
  // descriptor and its position.
  bool WritesAtOnce() const { return write_at_once_ || !BelongsToThisProcess(); }

  // Adds the events that every file starts with. They are written at once, so that viewers see the
  // run before the first flush.
  Result<void> AddPreamble(double now, std::optional<std::int64_t> purge_step) {
    using proto::EventKind;
    std::vector<std::string> events;
    const auto append = [&](std::int64_t step, EventKind kind, std::string_view payload) {
      events.push_back(proto::EncodeEvent(
          {.wall_time_seconds = now, .step = step, .kind = kind, .payload = payload}));
    };
    if (begins_with_version_) append(0, EventKind::kFileVersion, proto::kFileVersion);
    if (purge_step) {
      append(*purge_step, EventKind::kFileVersion, proto::kFileVersion);
      append(*purge_step, EventKind::kSessionLog,
             proto::EncodeSessionLog({.status = proto::SessionStatus::kStart}));
    }
    if (write_at_once_) {
      for (const std::string& event : events) CBOARD_RETURN_IF_ERROR(AddEventAtOnce(event));
      return {};
    }
    if (events.empty()) return {};
    std::string records;
    for (const std::string& event : events) record::AppendRecord(AsBytes(event), records);
    Chunk chunk = Chunk::OfCapacity(records.size());
    std::ranges::copy(AsBytes(records), chunk.data.get());
    chunk.size = records.size();
    static_cast<void>(task_->queue.Seal(chunk));
    io_->Wake(*task_);
    return {};
  }

  // Adds a scalar in the common case. Returns false and adds nothing if the file is closed, if the
  // thread's buffer is full or in use by another thread, if the thread last used another file, if
  // the tag is very long, or in a forked child. AddScalar() handles these cases.
  bool TryAddScalar(std::string_view tag, float value, std::int64_t step,
                    double wall_time_seconds) {
    ThreadBuffer* const buffer = task_->buffers.LastOfThisThread();
    if (buffer == nullptr || !buffer->lock.TryLockExclusive()) return false;
    Chunk& chunk = buffer->chunk;
    const std::size_t room = std::min(chunk.capacity - chunk.size, kLargeEventBytes);
    const bool fits = !buffer->file_closed && ScalarEncoder::MaxRecordBytes(tag) <= room;
    if (fits) {
      chunk.size += buffer->encoder.Encode(tag, value, step, wall_time_seconds,
                                           chunk.data.get() + chunk.size);
    }
    buffer->lock.Unlock();
    return fits;
  }

  Result<void> AddScalar(std::string_view tag, float value, std::int64_t step,
                         double wall_time_seconds) {
    const HeldBuffer held(task_->buffers);
    ThreadBuffer& buffer = *held;
    if (buffer.file_closed) return Fail(Closed());
    if (auto room = MakeRoom(buffer, ScalarEncoder::MaxRecordBytes(tag)); !room) return room;
    buffer.chunk.size += buffer.encoder.Encode(tag, value, step, wall_time_seconds,
                                               buffer.chunk.data.get() + buffer.chunk.size);
    return {};
  }

  Result<void> AddEvent(std::string_view event) {
    if (WritesAtOnce()) return AddEventAtOnce(event);
    const std::size_t bytes = event.size() + record::kRecordOverheadBytes;
    const HeldBuffer held(task_->buffers);
    ThreadBuffer& buffer = *held;
    if (buffer.file_closed) return Fail(Closed());
    if (bytes <= kLargeEventBytes) {
      CBOARD_RETURN_IF_ERROR(MakeRoom(buffer, bytes));
      record::StoreRecord(AsBytes(event), buffer.chunk.data.get() + buffer.chunk.size);
      buffer.chunk.size += bytes;
      return {};
    }
    // Puts the thread's buffer into the queue before the new event, to keep the events of this
    // thread in order.
    CBOARD_RETURN_IF_ERROR(Enqueue(buffer.chunk));
    Chunk chunk = Chunk::OfCapacity(bytes);
    record::StoreRecord(AsBytes(event), chunk.data.get());
    chunk.size = bytes;
    return Enqueue(chunk);
  }

  Result<void> Flush() {
    if (WritesAtOnce()) return task_->Sync();
    if (io_->OnThisThread()) return Fail(WouldDeadlock());
    const std::lock_guard closing(close_mutex_);
    if (closed_) return {};
    CBOARD_RETURN_IF_ERROR(WriteAll());
    return task_->Sync();
  }

  Result<void> Close() {
    if (WritesAtOnce()) {
      Result<void> synced = task_->SyncLast();
      task_->CloseFile();
      return synced;
    }
    if (io_->OnThisThread()) return Fail(WouldDeadlock());
    const std::lock_guard closing(close_mutex_);
    if (std::exchange(closed_, true)) return {};
    task_->buffers.RejectNewEvents();
    for (const auto& buffer : task_->buffers.All()) {
      const OwnerLock::Visit visit(buffer->lock);
      buffer->file_closed = true;
    }
    Result<void> written = WriteAll();
    io_->Remove(*task_);
    std::size_t lost_bytes = task_->queue.backlog_bytes();
    for (const auto& buffer : task_->buffers.All()) {
      // Releases the memory of the buffer now: threads keep the buffers of a closed file for a
      // while.
      const OwnerLock::Visit visit(buffer->lock);
      lost_bytes += std::exchange(buffer->chunk, {}).size;
      buffer->encoder = {};
    }
    const Result<void> synced = task_->SyncLast();
    task_->Release();
    if (written && !synced) return synced;
    if (!written) {
      written.error().message += "; " + HumanBytes(static_cast<double>(lost_bytes)) +
                                 " of events are lost with the writer";
    }
    return written;
  }

  const std::filesystem::path& path() const { return task_->path(); }

  // Minimum size of an event that is not copied into a thread's buffer but queued separately.
  static constexpr std::size_t kLargeEventBytes = kChunkBytes / 4;

 private:
  Result<void> AddEventAtOnce(std::string_view event) {
    if (sink_) return sink_(path(), event);
    std::string record;
    record::AppendRecord(AsBytes(event), record);
    return task_->WriteAtOnce(AsBytes(record));
  }

  // Waits until the content of all threads' buffers is written, or the disk has failed.
  Result<void> WriteAll() {
    bool all_sealed = true;
    do {
      all_sealed = true;
      for (const auto& buffer : task_->buffers.All()) {
        const OwnerLock::Visit visit(buffer->lock);
        if (buffer->chunk.size == 0) continue;
        all_sealed = task_->queue.Seal(buffer->chunk) && all_sealed;
        // Wakes the I/O thread now: the owner of the next buffer may hold its lock until the queue
        // gets shorter.
        io_->Wake(*task_);
      }
      CBOARD_RETURN_IF_ERROR(Barrier());
      // If the backlog had no room for some buffers, the loop repeats: the backlog is written now,
      // so there is room.
    } while (!all_sealed);
    return {};
  }

  // Waits until the I/O thread has checked that the file still exists, and has written all queued
  // chunks.
  Result<void> Barrier() {
    task_->CheckName();
    const HandoffQueue::Ticket ticket = task_->queue.TakeTicket();
    io_->Wake(*task_);
    return task_->queue.WaitUntilWritten(ticket);
  }

  // Makes sure that `buffer` has room for `bytes`, which is at most kChunkBytes. The caller has
  // locked the buffer.
  Result<void> MakeRoom(ThreadBuffer& buffer, std::size_t bytes) {
    if (buffer.chunk.capacity - buffer.chunk.size >= bytes) return {};
    CBOARD_RETURN_IF_ERROR(Enqueue(buffer.chunk));
    buffer.chunk = task_->queue.TakeEmpty(kChunkBytes);
    return {};
  }

  Result<void> Enqueue(Chunk& chunk) {
    if (chunk.size == 0) return {};
    // The user's function on_disk_error runs on the I/O thread and may log, but this thread must
    // not wait for itself.
    const bool may_wait = !io_->OnThisThread();
    CBOARD_ASSIGN_OR_RETURN(const bool wake, task_->queue.Push(chunk, may_wait));
    if (wake) io_->Wake(*task_);
    return {};
  }

  // True if this object writes the file version as the first record. Files in a bucket already
  // contain this record.
  const bool begins_with_version_;
  std::shared_ptr<FileTask> task_;
  std::shared_ptr<IoThread> io_;
  const decltype(WriterOptions::event_sink) sink_;
  const bool write_at_once_;
  const std::uint64_t fork_generation_ = ForkGeneration();
  std::mutex close_mutex_;
  bool closed_ = false;
};

Result<std::unique_ptr<EventFileWriter>> EventFileWriter::Open(
    const std::filesystem::path& directory, const WriterOptions& options) {
  const Clock& clock = options.clock != nullptr ? *options.clock : SystemClock();
  const double now = clock.NowSeconds();
  std::optional<EventFile> file;
  std::filesystem::path path = directory;
  std::shared_ptr<BucketFiles> bucket;
  if (options.event_sink) {
    // This branch has no file: events go to an event_sink.
  } else if (object_store::IsObjectUrl(directory.native())) {
    CBOARD_ASSIGN_OR_RETURN(bucket, BucketFiles::Open(directory, options, now));
    CBOARD_ASSIGN_OR_RETURN(file, bucket->NextFile());
    path = bucket->address();
  } else {
    CBOARD_ASSIGN_OR_RETURN(
        file, EventFile::Create(directory, now, options.filename_suffix, options.durable));
    path = file->path();
  }
  auto impl = std::make_unique<Impl>(std::move(file), std::move(path), options, std::move(bucket));
  CBOARD_RETURN_IF_ERROR(impl->Start());
  CBOARD_RETURN_IF_ERROR(impl->AddPreamble(now, options.purge_step));
  return std::unique_ptr<EventFileWriter>(new EventFileWriter(std::move(impl)));
}

EventFileWriter::EventFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EventFileWriter::~EventFileWriter() {
  if (impl_->BelongsToThisProcess()) {
    static_cast<void>(Close());
  } else {
    // A forked child must not destroy the object: the parent's threads do not exist in the child,
    // and may have held locks.
    static_cast<void>(impl_.release());
  }
}

Result<void> EventFileWriter::AddScalar(std::string_view tag, float value, std::int64_t step,
                                        double wall_time_seconds) {
  if (impl_->TryAddScalar(tag, value, step, wall_time_seconds)) [[likely]]
    return {};
  if (!impl_->WritesAtOnce() && ScalarEncoder::MaxRecordBytes(tag) <= Impl::kLargeEventBytes) {
    return impl_->AddScalar(tag, value, step, wall_time_seconds);
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::CleanStoredTag(tag));
  std::string summary;
  proto::AppendScalarValue(stored, value, {}, summary);
  return impl_->AddEvent(proto::EncodeEvent({.wall_time_seconds = wall_time_seconds,
                                             .step = step,
                                             .kind = proto::EventKind::kSummary,
                                             .payload = summary}));
}

Result<void> EventFileWriter::AddEvent(std::string_view serialized_event) {
  if (serialized_event.size() > record::kMaxRecordBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "an event of " + HumanBytes(static_cast<double>(serialized_event.size())) +
                    " is larger than 2 GiB, the maximum size of a record");
  }
  return impl_->AddEvent(serialized_event);
}

Result<void> EventFileWriter::Flush() { return impl_->Flush(); }

Result<void> EventFileWriter::Close() { return impl_->Close(); }

const std::filesystem::path& EventFileWriter::path() const { return impl_->path(); }

}  // namespace cboard::writer

#include "cboard/writer/event_file_writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_writer.h"
#include "writer/event_file.h"
#include "writer/handoff_queue.h"
#include "writer/io_thread.h"
#include "writer/summary/tag_cleaning.h"
#include "writer/thread_buffers.h"

namespace cboard {
namespace {

using std::chrono::steady_clock;

// How soon a disk that refused is tried again when nobody flushes.
constexpr auto kRetryAfter = std::chrono::milliseconds(100);
// A disk that has been failing for long is asked no more often than this.
constexpr auto kLongestRetry = std::chrono::seconds(1);

steady_clock::duration Seconds(double seconds) {
  // A century is as good as never, and does not overflow the clock.
  constexpr double kNever = 100.0 * 365 * 24 * 3600;
  if (!(seconds >= 0)) seconds = 0;
  return std::chrono::duration_cast<steady_clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kNever)));
}

Error Closed() {
  return {ErrorCode::kFailedPrecondition, "the event file is closed; open a new writer"};
}

Error OfParentProcess() {
  return {ErrorCode::kFailedPrecondition,
          "the event file belongs to the parent process; open a new writer after fork()"};
}

// The part that the I/O thread runs.
class FileTask final : public IoThread::Task {
 public:
  FileTask(EventFile file, const WriterOptions& options)
      : queue(std::max<std::size_t>(options.max_queue, 1), options.max_backlog_bytes),
        path_(file.path()),
        file_(std::move(file)),
        flush_interval_(Seconds(options.flush_secs)),
        next_flush_(steady_clock::now() + flush_interval_),
        on_disk_error_(options.on_disk_error) {}

  IoThread::TimePoint Run(IoThread::TimePoint now) override {
    bool all_sealed = true;
    const bool flush_due = now >= next_flush_;
    if (flush_due) {
      all_sealed = SealIdleBuffers();
      if (all_sealed) next_flush_ = now + flush_interval_;
    }
    if (((flush_due || failing_) && !RestoreIfVanished()) || !Drain()) {
      retry_ = std::min<steady_clock::duration>(retry_ * 2, kLongestRetry);
      return now + retry_;
    }
    DiskWorks();
    // A buffer that was in use is about to be handed over, or free in a moment.
    return all_sealed ? next_flush_ : now + std::chrono::milliseconds(1);
  }

  // Before a chunk that is pushed after this is called counts as written, the file is looked for.
  void CheckName() { check_name_ = true; }

  // Lets go of the file; the task must not run any more.
  void CloseFile() { file_.reset(); }

  const std::filesystem::path& path() const { return path_; }

  HandoffQueue queue;
  ThreadBuffers buffers;

 private:
  // Hands over what threads hold, leaving out buffers in use. False if there were any.
  bool SealIdleBuffers() {
    bool all = true;
    for (const auto& buffer : buffers.All()) {
      const std::unique_lock lock(buffer->lock, std::try_to_lock);
      if (!lock) {
        all = false;
      } else if (buffer->chunk.size > 0) {
        queue.PushPastLimit(std::exchange(buffer->chunk, {}));
      }
    }
    return all;
  }

  bool RestoreIfVanished() {
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

  bool Drain() {
    while (Chunk* chunk = queue.Front()) {
      if (check_name_.exchange(false) && !RestoreIfVanished()) return false;
      std::size_t written = 0;
      const Result<void> result = file_->WriteSome(chunk->unwritten(), written);
      chunk->written += written;
      if (!result) return Refused(result.error());
      if (chunk->size > 0) DiskWorks();
      queue.FrontWritten();
    }
    return true;
  }

  bool Refused(const Error& error) {
    failing_ = true;
    if (queue.DiskFailed(error) && on_disk_error_) on_disk_error_(error);
    return false;
  }

  void DiskWorks() {
    retry_ = kRetryAfter;
    if (!std::exchange(failing_, false)) return;
    queue.DiskWorks();
    if (on_disk_error_) on_disk_error_(std::nullopt);
  }

  std::filesystem::path path_;
  std::optional<EventFile> file_;
  steady_clock::duration flush_interval_;
  IoThread::TimePoint next_flush_;
  steady_clock::duration retry_ = kRetryAfter;
  bool failing_ = false;
  std::atomic<bool> check_name_ = false;
  std::function<void(const std::optional<Error>&)> on_disk_error_;
};

}  // namespace

// Lock order: close_mutex_, ThreadBuffer::lock, the queue's own lock. The I/O thread only tries
// buffer locks, since their owners hold them while they wait for the queue, that is, for it.
class EventFileWriter::Impl {
 public:
  Impl(EventFile file, const WriterOptions& options)
      : task_(std::make_shared<FileTask>(std::move(file), options)),
        io_(options.io_thread != nullptr ? options.io_thread : MakeIoThread()),
        fork_generation_(ForkGeneration()) {
    io_->Add(task_, steady_clock::now() + Seconds(options.flush_secs));
  }

  bool OfThisProcess() const { return fork_generation_ == ForkGeneration(); }

  // The events that every file begins with. They go to the disk at once: viewers see the run.
  void AddPreamble(double now, std::optional<std::int64_t> purge_step) {
    using proto::EventKind;
    std::string records;
    const auto append = [&](std::int64_t step, EventKind kind, std::string_view payload) {
      AppendRecord(AsBytes(proto::EncodeEvent(
                       {.wall_time_seconds = now, .step = step, .kind = kind, .payload = payload})),
                   records);
    };
    append(0, EventKind::kFileVersion, proto::kFileVersion);
    if (purge_step) {
      append(*purge_step, EventKind::kFileVersion, proto::kFileVersion);
      append(*purge_step, EventKind::kSessionLog,
             proto::EncodeSessionLog({.status = proto::SessionStatus::kStart}));
    }
    Chunk chunk = Chunk::OfCapacity(records.size());
    std::ranges::copy(AsBytes(records), chunk.data.get());
    chunk.size = records.size();
    task_->queue.PushPastLimit(std::move(chunk));
    io_->Wake(*task_);
  }

  Result<void> AddScalar(std::string_view tag, float value, std::int64_t step,
                         double wall_time_seconds) {
    ThreadBuffer& buffer = task_->buffers.OfThisThread();
    const std::lock_guard lock(buffer.lock);
    if (buffer.file_closed) return Fail(Closed());
    if (auto room = MakeRoom(buffer, ScalarEncoder::MaxRecordBytes(tag)); !room) return room;
    buffer.chunk.size += buffer.encoder.Encode(tag, value, step, wall_time_seconds,
                                               buffer.chunk.data.get() + buffer.chunk.size);
    return {};
  }

  Result<void> AddEvent(std::string_view event) {
    const std::size_t bytes = event.size() + kRecordOverheadBytes;
    ThreadBuffer& buffer = task_->buffers.OfThisThread();
    const std::lock_guard lock(buffer.lock);
    if (buffer.file_closed) return Fail(Closed());
    if (bytes <= kLargeEventBytes) {
      CBOARD_RETURN_IF_ERROR(MakeRoom(buffer, bytes));
      StoreRecord(AsBytes(event), buffer.chunk.data.get() + buffer.chunk.size);
      buffer.chunk.size += bytes;
      return {};
    }
    CBOARD_RETURN_IF_ERROR(HandOver(buffer.chunk));  // What the thread added before goes first.
    Chunk chunk = Chunk::OfCapacity(bytes);
    StoreRecord(AsBytes(event), chunk.data.get());
    chunk.size = bytes;
    return HandOver(chunk);
  }

  Result<void> Flush() {
    const std::lock_guard closing(close_mutex_);
    if (closed_) return {};
    for (const auto& buffer : task_->buffers.All()) {
      const std::lock_guard lock(buffer->lock);
      if (buffer->chunk.size > 0) task_->queue.PushPastLimit(std::exchange(buffer->chunk, {}));
    }
    return Barrier();
  }

  Result<void> Close() {
    const std::lock_guard closing(close_mutex_);
    if (std::exchange(closed_, true)) return {};
    task_->buffers.RefuseNew();
    for (const auto& buffer : task_->buffers.All()) {
      const std::lock_guard lock(buffer->lock);
      buffer->file_closed = true;
      if (buffer->chunk.size > 0) task_->queue.PushPastLimit(std::exchange(buffer->chunk, {}));
    }
    Result<void> written = Barrier();
    io_->Remove(*task_);
    task_->CloseFile();
    if (!written) {
      written.error().message += "; " +
                                 HumanBytes(static_cast<double>(task_->queue.backlog_bytes())) +
                                 " of events are lost with the writer";
    }
    return written;
  }

  const std::filesystem::path& path() const { return task_->path(); }

  // Larger events do not go through the threads' buffers.
  static constexpr std::size_t kLargeEventBytes = kChunkBytes / 4;

 private:
  // Waits until the I/O thread has looked after the file and written all that was handed over.
  Result<void> Barrier() {
    task_->CheckName();
    task_->queue.PushPastLimit({});
    const std::uint64_t ticket = task_->queue.pushed();
    io_->Wake(*task_);
    return task_->queue.WaitUntilWritten(ticket);
  }

  // Makes room for `bytes`, at most a chunk, in the locked `buffer`.
  Result<void> MakeRoom(ThreadBuffer& buffer, std::size_t bytes) {
    if (buffer.chunk.capacity - buffer.chunk.size >= bytes) return {};
    CBOARD_RETURN_IF_ERROR(HandOver(buffer.chunk));
    buffer.chunk = task_->queue.TakeEmpty(kChunkBytes);
    return {};
  }

  Result<void> HandOver(Chunk& chunk) {
    if (chunk.size == 0) return {};
    CBOARD_ASSIGN_OR_RETURN(const bool wake, task_->queue.Push(chunk));
    if (wake) io_->Wake(*task_);
    return {};
  }

  std::shared_ptr<FileTask> task_;
  std::shared_ptr<IoThread> io_;
  std::uint64_t fork_generation_;
  std::mutex close_mutex_;
  bool closed_ = false;
};

Result<std::unique_ptr<EventFileWriter>> EventFileWriter::Open(
    const std::filesystem::path& directory, const WriterOptions& options) {
  const Clock& clock = options.clock != nullptr ? *options.clock : SystemClock();
  const double now = clock.NowSeconds();
  CBOARD_ASSIGN_OR_RETURN(EventFile file,
                          EventFile::Create(directory, now, options.filename_suffix));
  auto impl = std::make_unique<Impl>(std::move(file), options);
  impl->AddPreamble(now, options.purge_step);
  return std::unique_ptr<EventFileWriter>(new EventFileWriter(std::move(impl)));
}

EventFileWriter::EventFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EventFileWriter::~EventFileWriter() {
  if (impl_->OfThisProcess()) {
    static_cast<void>(Close());
  } else {
    // The parent's threads, and whatever locks they held, do not exist here: nothing of it can be
    // taken apart safely.
    static_cast<void>(impl_.release());
  }
}

Result<void> EventFileWriter::AddScalar(std::string_view tag, float value, std::int64_t step,
                                        double wall_time_seconds) {
  if (!impl_->OfThisProcess()) return Fail(OfParentProcess());
  if (ScalarEncoder::MaxRecordBytes(tag) <= Impl::kLargeEventBytes) {
    return impl_->AddScalar(tag, value, step, wall_time_seconds);
  }
  if (tag.size() > kMaxTagBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "tag " + Quoted(tag, 40) + " has " + HumanCount(tag.size()) +
                    " bytes; use one of at most " + HumanCount(kMaxTagBytes));
  }
  std::string summary;
  proto::AppendScalarValue(summary::CleanTag(tag), value, {}, summary);
  return impl_->AddEvent(proto::EncodeEvent({.wall_time_seconds = wall_time_seconds,
                                             .step = step,
                                             .kind = proto::EventKind::kSummary,
                                             .payload = summary}));
}

Result<void> EventFileWriter::AddEvent(std::string_view serialized_event) {
  if (!impl_->OfThisProcess()) return Fail(OfParentProcess());
  if (serialized_event.size() > kMaxRecordBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "an event of " + HumanBytes(static_cast<double>(serialized_event.size())) +
                    " is more than the 2 GiB that a record can hold");
  }
  return impl_->AddEvent(serialized_event);
}

Result<void> EventFileWriter::Flush() {
  if (!impl_->OfThisProcess()) return Fail(OfParentProcess());
  return impl_->Flush();
}

Result<void> EventFileWriter::Close() {
  if (!impl_->OfThisProcess()) return {};
  return impl_->Close();
}

const std::filesystem::path& EventFileWriter::path() const { return impl_->path(); }

}  // namespace cboard

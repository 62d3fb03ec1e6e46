#include "writer/bucket_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <random>
#include <utility>

#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/record/record_writer.h"
#include "writer/file_task.h"
#include "writer/per_process.h"

namespace cboard::writer {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr auto kFirstRetry = std::chrono::seconds(1);
constexpr auto kMaxRetry = std::chrono::seconds(60);

// True for failures that a retry cannot fix.
bool IsLasting(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kPermissionDenied ||
         error.code == ErrorCode::kFailedPrecondition;
}

}  // namespace

// The connection to one bucket. All runs that a process writes to the bucket share it.
struct BucketFiles::Shared {
  std::unique_ptr<object_store::ObjectStore> store;
  std::shared_ptr<IoThread> thread;
  std::atomic<bool> is_checked = false;

  static Result<std::shared_ptr<Shared>> Of(const StoreTarget& target) {
    struct Known {
      std::mutex mutex;
      std::map<std::string, std::weak_ptr<Shared>> by_store;
    };
    // The map is never destroyed, because writers may use it while the process exits.
    static PerProcess<Known>& all = *new PerProcess<Known>;
    Known& known = all.Get();
    const std::lock_guard lock(known.mutex);
    std::weak_ptr<Shared>& entry = known.by_store[target.store_name()];
    if (std::shared_ptr<Shared> shared = entry.lock()) return shared;
    object_store::StoreOptions options = target.options;
    // A few attempts are enough: the files wait on the disk and are sent again later.
    options.max_attempts = 5;
    auto shared = std::make_shared<Shared>();
    CBOARD_ASSIGN_OR_RETURN(shared->store,
                            object_store::ObjectStore::Open(target.run, std::move(options)));
    shared->thread = MakeIoThread();
    entry = shared;
    return shared;
  }
};

BucketFiles::BucketFiles(UnsentFolder folder, std::string stem, const WriterOptions& options)
    : root_(folder.path().parent_path()),
      folder_(std::move(folder)),
      target_(folder_->target()),
      stem_(std::move(stem)),
      suffix_(options.filename_suffix),
      max_unsent_bytes_(options.max_unsent_bytes),
      interval_(FlushInterval(options.flush_secs)),
      on_error_(options.on_disk_error),
      retry_(kFirstRetry) {}

Result<std::shared_ptr<BucketFiles>> BucketFiles::Open(const fs::path& address,
                                                       const WriterOptions& options,
                                                       double now_seconds) {
  CBOARD_ASSIGN_OR_RETURN(StoreTarget target, StoreTarget::Of(address));
  CBOARD_ASSIGN_OR_RETURN(std::shared_ptr<Shared> shared, Shared::Of(target));
  CBOARD_ASSIGN_OR_RETURN(const fs::path root, UnsentRoot(options.unsent_directory));
  CBOARD_ASSIGN_OR_RETURN(UnsentFolder folder, UnsentFolder::Create(root, std::move(target)));
  std::array<char, 24> seconds;
  std::snprintf(seconds.data(), seconds.size(), "%010lld",
                static_cast<long long>(WholeSeconds(now_seconds)));
  // The file name is unique, because the folder's name contains the host, the process and a random
  // number.
  const std::string stem = "events.out.tfevents." + std::string(seconds.data()) + "." +
                           folder.path().filename().string();
  std::shared_ptr<BucketFiles> files(new BucketFiles(std::move(folder), stem, options));
  files->shared_ = std::move(shared);
  files->thread_ = files->shared_->thread;
  return files;
}

Result<EventFile> BucketFiles::NextFile() {
  std::array<char, 16> number;
  std::snprintf(number.data(), number.size(), ".%05d", next_number_);
  const std::string name = stem_ + number.data() + suffix_;
  CBOARD_ASSIGN_OR_RETURN(EventFile file, EventFile::CreateNamed(folder_->path() / name));
  std::string version;
  record::AppendRecord(AsBytes(proto::EncodeEvent({.wall_time_seconds = WallTimeSeconds(),
                                                   .kind = proto::EventKind::kFileVersion,
                                                   .payload = proto::kFileVersion})),
                       version);
  std::size_t written = 0;
  CBOARD_RETURN_IF_ERROR(file.WriteSome(AsBytes(version), written));
  {
    const std::lock_guard lock(mutex_);
    ++next_number_;
    files_.push_back(
        {.path = file.path(), .key = target_.KeyOf(name), .created = steady_clock::now()});
  }
  Written(version.size());
  if (next_number_ > 1) return file;
  address_ = target_.run.text() + "/" + name;
  if (!shared_->is_checked) {
    const Result<void> stored = StoreFiles();
    if (!stored && IsLasting(stored.error())) {
      folder_->Remove();
      return Fail(stored.error());
    }
    shared_->is_checked = stored.has_value();
  }
  CBOARD_RETURN_IF_ERROR(thread_->Add(shared_from_this(), steady_clock::now()));
  return file;
}

void BucketFiles::Written(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  files_.back().written += bytes;
  written_ += bytes;
}

bool BucketFiles::WantsNextFile() {
  const std::lock_guard lock(mutex_);
  const LocalFile& last = files_.back();
  return last.written >= kMaxFileBytes ||
         (last.written >= kTinyFileBytes && last.store_count >= kMaxStores) ||
         steady_clock::now() - last.created >= kMaxAge;
}

Result<void> BucketFiles::RoomLeft() {
  const std::lock_guard lock(mutex_);
  if (written_ - stored_ <= max_unsent_bytes_) return {};
  return Fail(ErrorCode::kResourceExhausted,
              HumanBytes(static_cast<double>(written_ - stored_)) +
                  " of events could not be stored yet in the bucket " + target_.run.text() +
                  (error_ ? ": " + error_->message : ""));
}

void BucketFiles::StoreSoon() {
  if (BelongsToThisProcess()) thread_->Wake(*this);
}

Result<void> BucketFiles::Store() {
  if (!BelongsToThisProcess()) return {};
  if (thread_->OnThisThread()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "Flush() and Close() must not be called from the callback on_disk_error, because "
                "they wait for the thread that runs it; call them from another thread");
  }
  std::unique_lock lock(mutex_);
  if (is_closed_ || stored_ == written_) return {};
  const std::uint64_t goal = written_;
  const std::uint64_t failures_before = failure_count_;
  lock.unlock();
  thread_->Wake(*this);
  lock.lock();
  changed_.wait(lock, [&] { return stored_ >= goal || failure_count_ > failures_before; });
  if (stored_ >= goal) return {};
  return Fail(*error_);
}

Result<void> BucketFiles::Close() {
  if (!BelongsToThisProcess()) return {};
  Result<void> stored = Store();
  if (!stored && thread_->OnThisThread()) return stored;
  std::unique_lock lock(mutex_);
  if (std::exchange(is_closed_, true)) return {};
  if (stored) {
    wants_abandoned_ = true;
    lock.unlock();
    thread_->Wake(*this);
    lock.lock();
    changed_.wait(lock, [&] { return !wants_abandoned_ || error_; });
  }
  lock.unlock();
  thread_->Remove(*this);
  lock.lock();
  if (stored_ == written_) folder_->Remove();
  if (!stored) {
    stored.error().message += "; " + HumanBytes(static_cast<double>(written_ - stored_)) +
                              " of events are kept in " + Quoted(folder_->path().native(), 300) +
                              ", and the next writer to this bucket sends them";
  }
  folder_.reset();
  files_.clear();
  shared_.reset();
  return stored;
}

IoThread::TimePoint BucketFiles::Run(IoThread::TimePoint now) {
  const Result<void> stored = StoreFiles();
  bool sends_abandoned = false;
  {
    const std::lock_guard lock(mutex_);
    sends_abandoned = stored && wants_abandoned_;
  }
  if (sends_abandoned) SendAbandoned();
  bool has_changed = false;
  IoThread::TimePoint next = now + interval_;
  {
    const std::lock_guard lock(mutex_);
    has_changed = error_.has_value() == stored.has_value();
    if (stored) {
      error_.reset();
      retry_ = kFirstRetry;
      if (sends_abandoned) wants_abandoned_ = false;
    } else {
      error_ = stored.error();
      ++failure_count_;
      next = now + std::exchange(retry_, std::min<decltype(retry_)>(retry_ * 2, kMaxRetry));
    }
  }
  changed_.notify_all();
  if (has_changed && on_error_) {
    on_error_(stored ? std::nullopt : std::optional<Error>(stored.error()));
  }
  return next;
}

// Stores all data that is written but not stored yet.
Result<void> BucketFiles::StoreFiles() {
  while (true) {
    LocalFile next;
    {
      const std::lock_guard lock(mutex_);
      DeleteStored();
      const auto found =
          std::ranges::find_if(files_, [](const LocalFile& f) { return f.stored < f.written; });
      if (found == files_.end()) return {};
      next = *found;
    }
    CBOARD_RETURN_IF_ERROR(StoreOne(next));
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(files_, next.key, &LocalFile::key);
    stored_ += next.written - found->stored;
    found->stored = next.written;
    ++found->store_count;
    changed_.notify_all();
  }
}

Result<void> BucketFiles::StoreOne(const LocalFile& file) {
  std::string bytes(file.written, '\0');
  CBOARD_ASSIGN_OR_RETURN(const File local, File::OpenForReading(file.path));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t count,
                          local.ReadAt(0, std::as_writable_bytes(std::span(bytes))));
  if (count != bytes.size()) {
    return Fail(ErrorCode::kDataLoss, "event file " + Quoted(file.path.native(), 300) +
                                          " became shorter before it was stored in the bucket");
  }
  return shared_->store->Put(file.key, bytes);
}

// Deletes the local copies of completely stored files, except the last file. The caller holds
// mutex_.
void BucketFiles::DeleteStored() {
  while (files_.size() > 1 && files_.front().stored == files_.front().written) {
    std::error_code ignored;
    fs::remove(files_.front().path, ignored);
    files_.pop_front();
  }
}

void BucketFiles::SendAbandoned() {
  for (const UnsentFolder& folder : UnsentFolder::TakeAbandoned(root_)) {
    if (folder.target().store_name() != target_.store_name()) continue;
    // If sending fails, the folder stays, and the next writer sends it.
    static_cast<void>(folder.Send(*shared_->store));
  }
}

}  // namespace cboard::writer

#include "cboard/object_store/bucket_copy.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/file_lock.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "object_store/access/signature.h"
#include "object_store/copy/copied_objects.h"

namespace cboard::object_store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPieceBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kOverlapBytes = std::uint64_t{64} << 10;
constexpr std::size_t kMaxSkipped = 100;

struct CopyFolder {
  fs::path root;  // Contains logs/, partial/ and objects.txt.
  FileLock lock;
};

// Locks and returns the first folder for `url` that no other process uses.
Result<CopyFolder> TakeFolder(const fs::path& cache, const ObjectUrl& url) {
  constexpr int kMaxFolders = 64;
  std::string name = url.bucket + "_" + url.prefix;
  std::ranges::replace(name, '/', '_');
  name = ToValidUtf8(name).substr(0, 60) + "-" + HexSha256(url.text()).substr(0, 12);
  for (int number = 1; number <= kMaxFolders; ++number) {
    const fs::path root = cache / (number == 1 ? name : name + "-" + std::to_string(number));
    CBOARD_RETURN_IF_ERROR(CreateDirectories(root));
    fs::permissions(root, fs::perms::owner_all);
    CBOARD_ASSIGN_OR_RETURN(std::optional<FileLock> lock, FileLock::TryTake(root / "lock"));
    if (lock) return CopyFolder{root, *std::move(lock)};
  }
  return Fail(ErrorCode::kResourceExhausted, "too many programs already read " + url.text() +
                                                 " on this machine; the maximum is " +
                                                 std::to_string(kMaxFolders));
}

class FollowingCopy final : public BucketCopy {
 public:
  FollowingCopy(ObjectUrl url, std::unique_ptr<ObjectStore> store, CopyOptions options,
                CopyFolder folder)
      : url_(std::move(url)),
        prefix_(url_.prefix.empty() ? "" : url_.prefix + "/"),
        store_(std::move(store)),
        options_(std::move(options)),
        folder_(std::move(folder)),
        directory_(folder_.root / "logs") {
    std::error_code ignored;
    fs::remove_all(folder_.root / "partial", ignored);
    fs::create_directories(folder_.root / "partial", ignored);
    fs::create_directories(directory_, ignored);
    objects_ = DecodeCopiedObjects(ReadFile(folder_.root / "objects.txt").value_or(""));
    // Discards files whose size differs from the
    // recorded size: a process ended while writing
    // them.
    std::erase_if(objects_, [&](const auto& entry) {
      const auto path = PathOfKey(entry.first, prefix_);
      std::error_code missing;
      return !path || !*path || fs::file_size(directory_ / **path, missing) != entry.second.size;
    });
    NoteCounts();
  }

  ~FollowingCopy() override {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  const fs::path& directory() const override { return directory_; }

  CopyStatus status() const override {
    const std::scoped_lock lock(status_mutex_);
    return status_;
  }

  StoreStatistics statistics() const override { return store_->statistics(); }

  void Follow(std::function<bool()> is_watched) override {
    store_->StopWith(stop_.get_token());
    is_watched_ = std::move(is_watched);
    thread_ = std::thread([this] { Run(stop_.get_token()); });
  }

  Result<void> Update(
      const std::function<void(std::uint64_t, std::uint64_t)>& on_progress) override {
    const std::scoped_lock lock(update_mutex_);
    skipped_.clear();
    Result<void> updated = UpdateLocked(on_progress);
    NoteCounts();
    const std::scoped_lock status_lock(status_mutex_);
    status_.is_loaded = true;
    status_.skipped = skipped_;
    status_.error.reset();
    if (updated) {
      status_.last_success = std::chrono::system_clock::now();
    } else {
      status_.error = updated.error();
    }
    return updated;
  }

 private:
  struct Job {
    ObjectInfo object;
    fs::path path;
  };

  void Run(const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLookAgain(500);
    std::mutex mutex;
    while (!stop.stop_requested()) {
      const Clock::time_point start = Clock::now();
      has_changed_ = false;
      static_cast<void>(Update({}));  // status() reports the failure.
      while (!stop.stop_requested() && Clock::now() - start < Interval()) {
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, stop, kLookAgain, [] { return false; });
      }
    }
  }

  // The interval between two listings. One page of
  // a listing is one request.
  std::chrono::milliseconds Interval() const {
    using std::chrono::milliseconds;
    const bool is_watched = !is_watched_ || is_watched_();
    return is_watched ? std::max(options_.watched_interval, milliseconds(1000) * page_count_)
                      : std::max(options_.unwatched_interval, milliseconds(6500) * page_count_);
  }

  Result<void> UpdateLocked(const std::function<void(std::uint64_t, std::uint64_t)>& on_progress) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> listed, store_->ListAll(prefix_));
    page_count_ = static_cast<int>(listed.size() / 1000) + 1;
    std::vector<Job> jobs;
    std::uint64_t total = 0, to_fetch = 0;
    std::optional<Error> too_large;
    CopiedObjects present;
    for (const ObjectInfo& object : listed) {
      auto path = PathOfKey(object.key, prefix_);
      if (!path) {
        Skip(object.key, path.error().message);
        continue;
      }
      if (!*path) continue;
      total += object.size;
      if (total > options_.max_bytes) {
        too_large = Error{ErrorCode::kResourceExhausted,
                          url_.text() + " has more logs than the " +
                              HumanBytes(static_cast<double>(options_.max_bytes)) +
                              " that may be copied to this "
                              "machine; choose a part of the "
                              "bucket, "
                              "or raise --bucket-cache-gb"};
        break;
      }
      present.emplace(object.key, object);
      const auto known = objects_.find(object.key);
      if (known != objects_.end() && known->second == object) continue;
      to_fetch += object.size;
      jobs.push_back({object, directory_ / **path});
    }
    if (!too_large) Forget(present);
    const Result<void> fetched = FetchAll(jobs, to_fetch, on_progress);
    if (has_changed_) {
      CBOARD_RETURN_IF_ERROR(
          WriteFileAtomically(folder_.root / "objects.txt", EncodeCopiedObjects(objects_)));
    }
    CBOARD_RETURN_IF_ERROR(fetched);
    if (too_large) return Fail(*too_large);
    return {};
  }

  // Removes files that are no longer in the
  // bucket.
  void Forget(const CopiedObjects& present) {
    for (auto i = objects_.begin(); i != objects_.end();) {
      if (present.contains(i->first)) {
        ++i;
        continue;
      }
      if (const auto path = PathOfKey(i->first, prefix_); path && *path) {
        std::error_code ignored;
        fs::remove(directory_ / **path, ignored);
      }
      has_changed_ = true;
      i = objects_.erase(i);
    }
  }

  // Downloads objects with several threads. After
  // a failure, continues with the other objects
  // and returns the first failure.
  Result<void> FetchAll(const std::vector<Job>& jobs, std::uint64_t total,
                        const std::function<void(std::uint64_t, std::uint64_t)>& on_progress) {
    if (jobs.empty()) return {};
    std::atomic<std::size_t> next = 0, ended = 0;
    std::atomic<std::uint64_t> done = 0;
    std::optional<Error> first_error;
    std::mutex mutex;  // Protects objects_, skipped_ and
                       // first_error meanwhile.
    const auto work = [&] {
      for (std::size_t i = next++; i < jobs.size() && !stop_.stop_requested(); i = next++) {
        const Job& job = jobs[i];
        std::optional<ObjectInfo> known;
        {
          const std::scoped_lock lock(mutex);
          if (const auto found = objects_.find(job.object.key); found != objects_.end()) {
            known = found->second;
          }
        }
        const Result<void> fetched = Fetch(job, known);
        done += job.object.size;
        const std::scoped_lock lock(mutex);
        if (fetched) {
          objects_[job.object.key] = job.object;
          has_changed_ = true;
        } else if (IsOfThisObject(fetched.error())) {
          Skip(job.object.key, fetched.error().message);
        } else if (!first_error) {
          first_error = fetched.error();
        }
      }
      ++ended;
    };
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(options_.parallel_requests, jobs.size());
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
    while (on_progress && ended < count) {
      on_progress(done, total);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    threads.clear();  // Joins the threads.
    if (on_progress) on_progress(total, total);
    if (first_error) return Fail(*std::move(first_error));
    if (stop_.stop_requested()) return Fail(ErrorCode::kUnavailable, "stopped");
    return {};
  }

  // True if the object was deleted or replaced
  // since the listing; the next listing contains
  // the change.
  static bool IsOfThisObject(const Error& error) {
    return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kFailedPrecondition ||
           error.code == ErrorCode::kInvalidArgument;
  }

  Result<void> Fetch(const Job& job, const std::optional<ObjectInfo>& known) {
    std::error_code ignored;
    fs::create_directories(job.path.parent_path(), ignored);
    if (known && known->size > 0 && job.object.size > known->size) {
      CBOARD_ASSIGN_OR_RETURN(const bool has_grown, FetchGrowth(job, known->size));
      if (has_grown) return {};
    }
    // The object is written to a temporary file
    // and renamed, so that the reader never sees
    // an incomplete file.
    const fs::path partial = folder_.root / "partial" / HexSha256(job.object.key);
    CBOARD_ASSIGN_OR_RETURN(File file, File::Create(partial));
    CBOARD_RETURN_IF_ERROR(FetchInto(file, job.object, 0, ""));
    std::error_code failed;
    fs::rename(partial, job.path, failed);
    if (failed) {
      return Fail(ErrorCode::kInvalidArgument,
                  "cannot write " + Quoted(job.path.string(), 1000) + ": " + failed.message());
    }
    return {};
  }

  // Appends the new bytes of an object that grew.
  // Returns false if the object was replaced: then
  // it does not contain the last bytes of the
  // copy.
  Result<bool> FetchGrowth(const Job& job, std::uint64_t known_bytes) {
    const std::uint64_t overlap = std::min(kOverlapBytes, known_bytes);
    std::string here(overlap, '\0');
    {
      CBOARD_ASSIGN_OR_RETURN(const File file, File::OpenForReading(job.path));
      CBOARD_ASSIGN_OR_RETURN(
          const std::size_t read,
          file.ReadAt(known_bytes - overlap, std::as_writable_bytes(std::span(here))));
      CBOARD_ASSIGN_OR_RETURN(const std::uint64_t size, file.Size());
      if (read != overlap || size != known_bytes) return false;
    }
    const std::uint64_t offset = known_bytes - overlap;
    CBOARD_ASSIGN_OR_RETURN(
        const std::string first,
        store_->Get(job.object.key, offset, std::min(kPieceBytes, job.object.size - offset),
                    job.object.etag));
    if (first.size() <= overlap || !first.starts_with(here)) return false;
    CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForAppending(job.path));
    CBOARD_RETURN_IF_ERROR(FetchInto(file, job.object, offset + first.size(),
                                     std::string_view(first).substr(overlap)));
    return true;
  }

  // Writes `begin` to the file, and then the
  // object's bytes from `offset` on.
  Result<void> FetchInto(File& file, const ObjectInfo& object, std::uint64_t offset,
                         std::string_view begin) {
    CBOARD_RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(begin))));
    while (offset < object.size) {
      CBOARD_ASSIGN_OR_RETURN(
          const std::string piece,
          store_->Get(object.key, offset, std::min(kPieceBytes, object.size - offset),
                      object.etag));
      if (piece.empty()) {
        return Fail(ErrorCode::kUnavailable, "the object " + Quoted(object.key) +
                                                 " became shorter while it was copied; try again");
      }
      CBOARD_RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(piece))));
      offset += piece.size();
    }
    return {};
  }

  void Skip(const std::string& key, const std::string& reason) {
    if (skipped_.size() < kMaxSkipped) skipped_.push_back(Quoted(key, 300) + ": " + reason);
  }

  void NoteCounts() {
    std::uint64_t bytes = 0;
    for (const auto& [key, object] : objects_) bytes += object.size;
    const std::scoped_lock lock(status_mutex_);
    status_.object_count = objects_.size();
    status_.byte_count = bytes;
  }

  const ObjectUrl url_;
  const std::string prefix_;
  const std::unique_ptr<ObjectStore> store_;
  const CopyOptions options_;
  const CopyFolder folder_;
  const fs::path directory_;
  std::mutex update_mutex_;
  CopiedObjects objects_;  // Protected by update_mutex_,
                           // like the next two.
  std::vector<std::string> skipped_;
  int page_count_ = 1;
  std::atomic<bool> has_changed_ = false;
  mutable std::mutex status_mutex_;
  CopyStatus status_;
  std::function<bool()> is_watched_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<BucketCopy>> BucketCopy::Open(const ObjectUrl& url,
                                                     std::unique_ptr<ObjectStore> store,
                                                     CopyOptions options) {
  CBOARD_ASSIGN_OR_RETURN(CopyFolder folder, TakeFolder(options.cache_directory, url));
  return std::make_unique<FollowingCopy>(url, std::move(store), std::move(options),
                                         std::move(folder));
}

}  // namespace cboard::object_store

// The event files of one run in a bucket, on their way from the local disk to the store.
//
// Objects cannot be appended. The events of a run go to local event files, numbered in the order of
// their names, and a thread of the process stores them: the last file as often as it is flushed,
// each time as a whole, until it is large, old or stored often; then the next file begins. A file
// that is stored and complete is deleted here. Every object is a whole event file, so any reader of
// event files reads it, and storing one again after a failure changes nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"
#include "cboard/writer/writer_options.h"
#include "writer/event_file.h"
#include "writer/io_thread.h"
#include "writer/unsent_folder.h"

namespace cboard::writer {

// Thread-safe; NextFile() and Written() are called by one thread at a time.
class BucketFiles final : public IoThread::Task, public std::enable_shared_from_this<BucketFiles> {
 public:
  // Files above this size, or stored this often and not tiny, or this old, are followed by another.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kTinyFileBytes = std::uint64_t{256} << 10;
  static constexpr int kMaxStores = 16;
  static constexpr std::chrono::hours kMaxAge{1};

  // Opens the run at `address` ("s3://bucket/run"). The first writer to a bucket in a process
  // stores its file at once, to find out whether that is possible: fails with kNotFound or
  // kPermissionDenied when it is not. A store that cannot be reached is no failure.
  static Result<std::shared_ptr<BucketFiles>> Open(const std::filesystem::path& address,
                                                   const WriterOptions& options,
                                                   double now_seconds);
  ~BucketFiles() override = default;

  // A new local file, which begins with the version record.
  Result<EventFile> NextFile();

  // Whole records were added to the last file.
  void Written(std::uint64_t bytes);

  // True when the last file should be followed by another.
  bool WantsNextFile();

  // kResourceExhausted when more than max_unsent_bytes wait for the store.
  Result<void> RoomLeft();

  // Stores all that was written, in the background.
  void StoreSoon();

  // Returns when all that was written is stored. Fails with the store's error; what could not be
  // stored is kept and tried again. On the thread that stores, fails with kFailedPrecondition.
  Result<void> Store();

  // Store(), and the files that children of this process left behind. Releases everything. Files
  // that could not be stored stay on the disk, and the error says where.
  Result<void> Close();

  // False in a forked child, which opens the run again.
  bool BelongsToThisProcess() const { return thread_->BelongsToThisProcess(); }

  // The address of the first file.
  const std::filesystem::path& address() const { return address_; }

  IoThread::TimePoint Run(IoThread::TimePoint now) override;

 private:
  struct Shared;
  struct LocalFile {
    std::filesystem::path path;
    std::string key;
    std::uint64_t written = 0;
    std::uint64_t stored = 0;
    int store_count = 0;
    IoThread::TimePoint created = {};
  };

  BucketFiles(UnsentFolder folder, std::string stem, const WriterOptions& options);

  Result<void> StoreFiles();
  Result<void> StoreOne(const LocalFile& file);
  void DeleteStored();
  void SendAbandoned();

  const std::filesystem::path root_;
  std::optional<UnsentFolder> folder_;  // Until Close().
  const StoreTarget target_;
  const std::string stem_;
  const std::string suffix_;
  std::filesystem::path address_;
  const std::uint64_t max_unsent_bytes_;
  const IoThread::TimePoint::duration interval_;
  const std::function<void(const std::optional<Error>&)> on_error_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<IoThread> thread_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LocalFile> files_;  // Guarded by mutex_, as all below. The last is being written.
  int next_number_ = 0;
  std::uint64_t written_ = 0;  // Sum over all files so far, as the next.
  std::uint64_t stored_ = 0;
  std::uint64_t failure_count_ = 0;
  std::optional<Error> error_;
  bool wants_abandoned_ = true;  // Folders of other processes, sent with the first files.
  bool is_closed_ = false;
  IoThread::TimePoint::duration retry_;
};

}  // namespace cboard::writer

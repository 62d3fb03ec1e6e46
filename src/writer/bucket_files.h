// Writes the event files of one run in a bucket: first to the local disk, then to the store.
//
// A store cannot append to an object. The events of a run are therefore written to numbered local
// event files, and a thread stores these files. At each flush, the whole last file is stored again,
// until it is large, old, or was stored many times; then the next file starts. Files that are
// complete and stored are deleted locally. Every object is a complete event file, so any reader of
// event files can read it. Storing an object again after a failure changes nothing.
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

// The event files of a run in a bucket. Thread-safe, except that only one thread at a time may call
// NextFile() and Written().
class BucketFiles final : public IoThread::Task, public std::enable_shared_from_this<BucketFiles> {
 public:
  // Limits of a file: its size, its age, and the number of its uploads (if the file is not tiny).
  // When a limit is reached, the next file starts.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kTinyFileBytes = std::uint64_t{256} << 10;
  static constexpr int kMaxStores = 16;
  static constexpr std::chrono::hours kMaxAge{1};

  // Opens the run at `address` ("s3://bucket/run"). The first writer of a process to a bucket
  // stores its file at once, to check the permission. Fails with kNotFound or kPermissionDenied if
  // the store rejects the file. It is not an error if the store cannot be reached.
  static Result<std::shared_ptr<BucketFiles>> Open(const std::filesystem::path& address,
                                                   const WriterOptions& options,
                                                   double now_seconds);
  ~BucketFiles() override = default;

  // Creates a new local file that starts with the version record.
  Result<EventFile> NextFile();

  // Reports that `bytes` of complete records were added to the last file.
  void Written(std::uint64_t bytes);

  // True if the next file should be started.
  bool WantsNextFile();

  // Checks the limit of unsent data. Fails with kResourceExhausted if more than max_unsent_bytes
  // wait for the store.
  Result<void> RoomLeft();

  // Stores all data that was written, in the background.
  void StoreSoon();

  // Waits until all data that was written is stored. If the store fails, returns its error; the
  // data stays on the disk and is sent again later. Fails with kFailedPrecondition on the thread
  // that stores.
  Result<void> Store();

  // Calls Store(), also sends files that child processes left, and releases all resources. Files
  // that could not be stored stay on the disk, and the error says where they are.
  Result<void> Close();

  // Returns true if this process has opened the run. A forked child gets false, and must open the
  // run again.
  bool BelongsToThisProcess() const { return thread_->BelongsToThisProcess(); }

  // Returns the address of the run's first file in the bucket.
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
  // The files that are not deleted locally; the last one is being written. mutex_ protects this
  // member and all members below it.
  std::deque<LocalFile> files_;
  int next_number_ = 0;
  std::uint64_t written_ = 0;  // Sum over all files so far; so is the next member.
  std::uint64_t stored_ = 0;
  std::uint64_t failure_count_ = 0;
  std::optional<Error> error_;
  // True until the unsent files of processes that have ended were sent. This is done once, together
  // with the first files of this run.
  bool wants_abandoned_ = true;
  bool is_closed_ = false;
  IoThread::TimePoint::duration retry_;
};

}  // namespace cboard::writer

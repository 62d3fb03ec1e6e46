// Writes the event files of one run in a bucket: first to the local disk, then to the store.
//
// Objects cannot be appended. The events of a run are therefore written to numbered local event
// files, and a thread stores them. The last file is stored completely at each flush, until it is
// large, old, or stored often; then the next file starts. Complete and stored files are deleted
// locally. Every object is a complete event file, so any reader of event files can read it, and
// storing it again after a failure changes nothing.
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

// The event files of a run in a bucket. Thread-safe; NextFile() and Written() must be called by one
// thread at a time.
class BucketFiles final : public IoThread::Task, public std::enable_shared_from_this<BucketFiles> {
 public:
  // Limits of a file: size, age, and number of uploads (unless the file is tiny). Above a limit,
  // the next file starts.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kTinyFileBytes = std::uint64_t{256} << 10;
  static constexpr int kMaxStores = 16;
  static constexpr std::chrono::hours kMaxAge{1};

  // Opens the run at `address` ("s3://bucket/run"). The first writer of a process to a bucket
  // stores its file at once, to check the permission: fails with kNotFound or kPermissionDenied if
  // that is not possible. A store that cannot be reached is not an error.
  static Result<std::shared_ptr<BucketFiles>> Open(const std::filesystem::path& address,
                                                   const WriterOptions& options,
                                                   double now_seconds);
  ~BucketFiles() override = default;

  // Creates a new local file that starts with the version record.
  Result<EventFile> NextFile();

  // Reports that complete records were added to the last file.
  void Written(std::uint64_t bytes);

  // True if the next file should be started.
  bool WantsNextFile();

  // Checks the limit of unsent data: fails with kResourceExhausted if more than max_unsent_bytes
  // wait for the store.
  Result<void> RoomLeft();

  // Stores everything that was written, in the background.
  void StoreSoon();

  // Waits until everything that was written is stored. Fails with the store's error; unstored data
  // is kept and sent again later. Fails with kFailedPrecondition on the thread that stores.
  Result<void> Store();

  // Calls Store(), also sends files that child processes left, and releases everything. Files that
  // could not be stored stay on the disk, and the error says where.
  Result<void> Close();

  // False in a forked child, which must open the run again.
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
  // Protected by mutex_, like all members below. The last file is being written.
  std::deque<LocalFile> files_;
  int next_number_ = 0;
  std::uint64_t written_ = 0;  // Sum over all files so far; so is the next member.
  std::uint64_t stored_ = 0;
  std::uint64_t failure_count_ = 0;
  std::optional<Error> error_;
  // True until folders of other processes were sent, with the first files.
  bool wants_abandoned_ = true;
  bool is_closed_ = false;
  IoThread::TimePoint::duration retry_;
};

}  // namespace cboard::writer

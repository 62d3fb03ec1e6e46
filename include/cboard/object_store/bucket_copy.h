// A local copy of the event files below a bucket address, which is kept up to date.
//
// The reader works on the copy like on any log directory. An update lists the bucket (one request
// per 1,000 objects) and downloads only new data: whole new objects, and the new bytes of objects
// that grew. The copy stays on the disk after the program ends. An object that changed in another
// way than by growing is downloaded again, so the copy never contains outdated points.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

struct CopyOptions {
  // Folder for the copies of all buckets. It is created with mode 0700.
  std::filesystem::path cache_directory = {};

  // Maximum size of the copy in bytes. Objects that do not fit are not copied, and are reported.
  std::uint64_t max_bytes = std::uint64_t{50} << 30;

  unsigned parallel_requests = 8;

  // The intervals at which Follow lists the bucket: while a client is watching, and while no client
  // is watching. A bucket whose listing has several pages is listed less often: at most one request
  // per second, and one per 6.5 s while no client is watching.
  std::chrono::milliseconds watched_interval{4000};
  std::chrono::milliseconds unwatched_interval{60'000};
};

struct CopyStatus {
  bool is_loaded = false;           // True after the first update, even if it failed.
  std::optional<Error> error = {};  // The failure of the last update.
  std::optional<std::chrono::system_clock::time_point> last_success = {};
  std::uint64_t object_count = 0;  // Number of objects in the copy.
  std::uint64_t byte_count = 0;
  std::vector<std::string> skipped =
      {};  // Objects that cannot be copied, with the reason; at most 100.
};

// Thread-safe.
class BucketCopy {
 public:
  // Opens the copy that an earlier start has made, or creates an empty one. Two programs that read
  // the same address at the same time have separate copies. Sends no request.
  static Result<std::unique_ptr<BucketCopy>> Open(const ObjectUrl& url,
                                                  std::unique_ptr<ObjectStore> store,
                                                  CopyOptions options);

  virtual ~BucketCopy() = default;  // Stops following, after the current requests.

  // Returns the log directory that contains the copy.
  virtual const std::filesystem::path& directory() const = 0;

  // Brings the copy up to date. If this fails, status() also reports the failure.
  virtual Result<void> Update(
      const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {}) = 0;

  // Updates the copy in the background until the object is destroyed: at the intervals of the
  // options, and at once when a client starts watching. A thread of this object calls `is_watched`
  // twice a second. If `is_watched` is not given, the bucket is treated as watched.
  virtual void Follow(std::function<bool()> is_watched = {}) = 0;

  virtual CopyStatus status() const = 0;
  virtual StoreStatistics statistics() const = 0;
};

}  // namespace cboard::object_store

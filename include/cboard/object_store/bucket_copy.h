// A local copy of the event files below an address of a bucket, which follows the bucket.
//
// The reader works on the copy as on any log directory. An update lists the bucket (one request for
// 1,000 objects) and fetches what is new only: whole new objects, and of objects that grew what
// was added. The copy stays on the disk between starts. It is never the reason of a wrong point: an
// object that changed in another way than by growing is fetched again.
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
  // Folder that holds the copies of all buckets. Created with mode 0700.
  std::filesystem::path cache_directory = {};

  // More bytes than this are not copied, and reported.
  std::uint64_t max_bytes = std::uint64_t{50} << 30;

  unsigned parallel_requests = 8;

  // How often Follow lists the bucket while somebody looks, and while nobody does. A bucket of
  // several pages is listed less often: at most one request a second, and one in 6.5 s while nobody
  // looks.
  std::chrono::milliseconds watched_interval{4000};
  std::chrono::milliseconds unwatched_interval{60'000};
};

struct CopyStatus {
  bool is_loaded = false;           // One update has ended, well or not.
  std::optional<Error> error = {};  // The failure of the last update.
  std::optional<std::chrono::system_clock::time_point> last_success = {};
  std::uint64_t object_count = 0;  // In the copy.
  std::uint64_t byte_count = 0;
  std::vector<std::string> skipped =
      {};  // Objects that cannot be copied, with the reason; at most 100.
};

// Thread-safe.
class BucketCopy {
 public:
  // Opens the copy of an earlier start, or makes an empty one. Two programs that read one address
  // at the same time have a copy each. Sends no request.
  static Result<std::unique_ptr<BucketCopy>> Open(const ObjectUrl& url,
                                                  std::unique_ptr<ObjectStore> store,
                                                  CopyOptions options);

  virtual ~BucketCopy() = default;  // Stops following; waits for the requests under way.

  // The log directory to read.
  virtual const std::filesystem::path& directory() const = 0;

  // Brings the copy up to date. Failures are also in status().
  virtual Result<void> Update(
      const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {}) = 0;

  // Updates in the background, until the object is destroyed: at once when somebody begins to look,
  // and then at the intervals of the options. `is_watched` is called twice a second, by a thread of
  // this object; without it, somebody always looks.
  virtual void Follow(std::function<bool()> is_watched = {}) = 0;

  virtual CopyStatus status() const = 0;
  virtual StoreStatistics statistics() const = 0;
};

}  // namespace cboard::object_store

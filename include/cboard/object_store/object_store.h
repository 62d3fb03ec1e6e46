// A bucket of an S3-compatible store: lists, reads and writes its objects.
//
//   CBOARD_ASSIGN_OR_RETURN(const ObjectUrl url, ParseObjectUrl("s3://team/runs"));
//   CBOARD_ASSIGN_OR_RETURN(auto store, ObjectStore::Open(url, StoreOptions::FromEnvironment(url)));
//   CBOARD_ASSIGN_OR_RETURN(const auto objects, store->ListAll("runs/"));
//
// Requests with a temporary failure (429, 500, 502, 503, 504, a lost connection, a truncated body)
// are retried with growing random delays. Other failures are reported at once, with a sentence that
// says what to check. gs:// uses the XML API of Google Cloud Storage with HMAC keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/object_store/object_url.h"

namespace cboard::object_store {

struct StoreOptions {
  std::string endpoint = {};  // "http://127.0.0.1:7070"; empty: the provider's endpoint.
  std::string region = {};    // Empty: from the environment, else "us-east-1".

  // If true, addresses have the form "host/bucket/key" instead of "bucket.host/key". A custom
  // endpoint always uses this form.
  bool path_style = false;

  std::string ca_file = {};  // Certificates to trust instead of the system's.

  // Maximum number of attempts per request. After them, the failure is reported.
  int max_attempts = 8;

  // Reads the options from the environment variables $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL,
  // $S3_ENDPOINT (TensorFlow's name), $AWS_REGION, $AWS_DEFAULT_REGION and $AWS_CA_BUNDLE. The
  // region may also come from the profile in ~/.aws/config.
  static StoreOptions FromEnvironment(const ObjectUrl& url);
};

struct ObjectInfo {
  std::string key;
  std::uint64_t size = 0;
  std::string etag;  // Version of the object: it differs if the content differs.

  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

struct ObjectPage {
  std::vector<ObjectInfo> objects;  // By key.
  std::string next;                 // Start of the next page; empty after the last page.
};

// The numbers of requests that were sent, including retries.
struct StoreStatistics {
  std::uint64_t lists = 0;
  std::uint64_t gets = 0;
  std::uint64_t puts = 0;
  std::uint64_t repeated = 0;  // Retries; also counted above.
  std::uint64_t bytes_read = 0;
};

// A bucket of a store. All methods may be called from any thread. They fail with kNotFound if the
// bucket or object does not exist, with kPermissionDenied if keys are wrong or expired or have no
// permission, with kUnavailable if the store cannot be reached or fails repeatedly, and with
// kFailedPrecondition if the object has changed or already exists.
class ObjectStore {
 public:
  // Opens a bucket. Finds credentials in the same places as Amazon's tools: the environment, the
  // profile in ~/.aws/credentials, or the role of a container or a machine. Without credentials,
  // requests are not signed; public buckets accept them. Sends no request to the store. Fails with
  // kFailedPrecondition if libcurl is not installed.
  static Result<std::unique_ptr<ObjectStore>> Open(const ObjectUrl& url, StoreOptions options);

  virtual ~ObjectStore() = default;

  // Lists objects whose keys begin with `prefix`, 1,000 per page. `next` is ObjectPage::next of the
  // previous page.
  virtual Result<ObjectPage> List(std::string_view prefix, std::string_view next) = 0;

  // Lists the objects of all pages of a listing.
  Result<std::vector<ObjectInfo>> ListAll(std::string_view prefix);

  // Reads `length` bytes at `offset`, or fewer at the end of the object. If `etag` is given and the
  // object now has a different ETag, fails with kFailedPrecondition.
  virtual Result<std::string> Get(std::string_view key, std::uint64_t offset, std::uint64_t length,
                                  std::string_view etag = {}) = 0;

  // Writes a whole object. If `only_new` is true and the key exists, fails with
  // kFailedPrecondition.
  virtual Result<void> Put(std::string_view key, std::string_view bytes, bool only_new = false) = 0;

  // Deletes an object. Succeeds if the object does not exist.
  virtual Result<void> Delete(std::string_view key) = 0;

  virtual StoreStatistics statistics() const = 0;

  // Sets a stop token. When a stop is requested, delays between attempts end early.
  virtual void StopWith(std::stop_token stop) = 0;
};

}  // namespace cboard::object_store

// A bucket of an S3-compatible store: lists, reads and writes its objects.
//
//   CBOARD_ASSIGN_OR_RETURN(const ObjectUrl url, ParseObjectUrl("s3://team/runs"));
//   CBOARD_ASSIGN_OR_RETURN(auto store, ObjectStore::Open(url, StoreOptions::FromEnvironment(url)));
//   CBOARD_ASSIGN_OR_RETURN(const auto objects, store->ListAll("runs/"));
//
// Requests that fail for a reason that may pass (429, 500, 502, 503, 504, a lost connection, a body
// that ends early) are sent again, with growing random delays. Others fail at once, with a sentence
// that says what to check. gs:// uses the XML API of Google Cloud Storage with HMAC keys.
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
  std::string endpoint = {};  // "http://127.0.0.1:7070"; empty: that of the provider.
  std::string region = {};    // Empty: from the environment, else "us-east-1".

  // "host/bucket/key" instead of "bucket.host/key". Always so with an endpoint of one's own.
  bool path_style = false;

  std::string ca_file = {};  // Certificates to trust instead of the system's.

  // How often a request is sent at most, before its failure is reported.
  int max_attempts = 8;

  // $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, $S3_ENDPOINT (TensorFlow's name), $AWS_REGION,
  // $AWS_DEFAULT_REGION, $AWS_CA_BUNDLE, and the region of the profile in ~/.aws/config.
  static StoreOptions FromEnvironment(const ObjectUrl& url);
};

struct ObjectInfo {
  std::string key;
  std::uint64_t size = 0;
  std::string etag;  // Changes with the content.

  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

struct ObjectPage {
  std::vector<ObjectInfo> objects;  // By key.
  std::string next;                 // Where the next page begins; empty after the last.
};

// How many requests were sent, repeated ones included.
struct StoreStatistics {
  std::uint64_t lists = 0;
  std::uint64_t gets = 0;
  std::uint64_t puts = 0;
  std::uint64_t repeated = 0;  // Sent again after a failure; also counted above.
  std::uint64_t bytes_read = 0;
};

// All methods may be called from any thread. They fail with kNotFound (no such bucket or object),
// kPermissionDenied (keys that are wrong, expired, or not allowed to do it), kUnavailable (the
// store cannot be reached, or fails again and again), kFailedPrecondition (the object is no longer
// the one that was asked for, or is there already).
class ObjectStore {
 public:
  // Finds credentials in the places where the tools of Amazon find them: the environment, the
  // profile in ~/.aws/credentials, the role of a container or a machine. Without any, requests are
  // not signed, as public buckets allow. Sends no request to the store. Fails with
  // kFailedPrecondition when libcurl is not installed.
  static Result<std::unique_ptr<ObjectStore>> Open(const ObjectUrl& url, StoreOptions options);

  virtual ~ObjectStore() = default;

  // The objects whose keys begin with `prefix`, 1,000 at a time. `next` is ObjectPage::next of the
  // page before.
  virtual Result<ObjectPage> List(std::string_view prefix, std::string_view next) = 0;

  // All pages.
  Result<std::vector<ObjectInfo>> ListAll(std::string_view prefix);

  // `length` bytes from `offset` on; fewer at the end of the object. With an `etag`, fails with
  // kFailedPrecondition if the object has another one by now.
  virtual Result<std::string> Get(std::string_view key, std::uint64_t offset, std::uint64_t length,
                                  std::string_view etag = {}) = 0;

  // Writes a whole object. `only_new`: fails with kFailedPrecondition if the key is taken.
  virtual Result<void> Put(std::string_view key, std::string_view bytes, bool only_new = false) = 0;

  // Deletes an object; one that is not there is fine.
  virtual Result<void> Delete(std::string_view key) = 0;

  virtual StoreStatistics statistics() const = 0;

  // Delays between attempts end early when `stop` is requested.
  virtual void StopWith(std::stop_token stop) = 0;
};

}  // namespace cboard::object_store

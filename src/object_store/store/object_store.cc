#include "cboard/object_store/object_store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>

#include "cboard/base/strings.h"
#include "object_store/access/credentials.h"
#include "object_store/access/signature.h"
#include "object_store/http/http_client.h"
#include "object_store/store/listing.h"

namespace cboard::object_store {
namespace {

constexpr std::uint64_t kMaxListingBytes = std::uint64_t{16} << 20;

std::string FirstOf(std::initializer_list<const char*> variables) {
  for (const char* name : variables) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return "";
}

struct Endpoint {
  std::string origin;  // "https://s3.us-east-1.amazonaws.com"
  std::string host;
  std::string path;  // The part before the key: "/bucket/" or "/".
};

// The error of a failed response. `may_pass` is true if the same request may succeed later.
struct Failure {
  Error error;
  bool may_pass = false;
  bool needs_new_keys = false;
};

class S3Store final : public ObjectStore {
 public:
  S3Store(ObjectUrl url, StoreOptions options, std::unique_ptr<HttpClient> client)
      : url_(std::move(url)),
        options_(std::move(options)),
        client_(std::move(client)),
        credentials_(url_.scheme, *client_),
        region_(options_.region),
        random_(std::random_device{}()) {}

  Result<ObjectPage> List(std::string_view prefix, std::string_view next) override {
    std::map<std::string, std::string> query = {{"list-type", "2"},
                                                {"max-keys", "1000"},
                                                {"encoding-type", "url"},
                                                {"prefix", std::string(prefix)}};
    if (!next.empty()) query["continuation-token"] = next;
    CBOARD_ASSIGN_OR_RETURN(
        const HttpResponse response,
        Send({.query = std::move(query), .max_bytes = kMaxListingBytes}, lists_));
    return ParseListing(response.body);
  }

  Result<std::string> Get(std::string_view key, std::uint64_t offset, std::uint64_t length,
                          std::string_view etag) override {
    if (length == 0) return std::string();
    Call call{.key = std::string(key), .max_bytes = length};
    call.headers["range"] =
        "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1);
    if (!etag.empty()) call.headers["if-match"] = etag;
    CBOARD_ASSIGN_OR_RETURN(HttpResponse response, Send(call, gets_));
    // The server has ignored the range and has sent the whole object.
    if (response.status == 200 && offset > 0) {
      return Fail(
          ErrorCode::kUnavailable,
          "the store at " + Quoted(EndpointOf("").host) +
              " does not support HTTP range requests, which are needed to read parts of a file");
    }
    bytes_read_ += response.body.size();
    return std::move(response.body);
  }

  Result<void> Put(std::string_view key, std::string_view bytes, bool only_new) override {
    Call call{.method = "PUT", .key = std::string(key), .body = bytes};
    if (only_new) call.headers["if-none-match"] = "*";
    const auto sent = Send(call, puts_);
    if (!sent) return Fail(sent.error());
    return {};
  }

  Result<void> Delete(std::string_view key) override {
    const auto sent = Send({.method = "DELETE", .key = std::string(key)}, puts_);
    if (!sent && sent.error().code != ErrorCode::kNotFound) return Fail(sent.error());
    return {};
  }

  StoreStatistics statistics() const override {
    return {.lists = lists_,
            .gets = gets_,
            .puts = puts_,
            .repeated = repeated_,
            .bytes_read = bytes_read_};
  }

  void StopWith(std::stop_token stop) override {
    const std::scoped_lock lock(mutex_);
    stop_ = std::move(stop);
  }

 private:
  struct Call {
    std::string method = "GET";
    std::string key;
    std::map<std::string, std::string> query;
    std::map<std::string, std::string> headers;
    std::string_view body;
    std::uint64_t max_bytes = 1 << 20;
  };

  Endpoint EndpointOf(const std::string& region) const {
    std::string origin = options_.endpoint;
    if (origin.empty()) {
      origin = url_.scheme == "gs" ? "https://storage.googleapis.com"
                                   : "https://s3." + region + ".amazonaws.com";
    }
    while (origin.ends_with('/')) origin.pop_back();
    const std::size_t scheme = origin.find("://");
    if (scheme == std::string::npos) origin = "https://" + origin;
    std::string host = origin.substr(origin.find("://") + 3);
    const bool by_path = options_.path_style || !options_.endpoint.empty() || url_.scheme == "gs" ||
                         url_.bucket.find('.') != std::string::npos;
    if (by_path) return {origin, host, "/" + url_.bucket + "/"};
    host = url_.bucket + "." + host;
    return {"https://" + host, host, "/"};
  }

  Result<HttpResponse> Send(const Call& call, std::atomic<std::uint64_t>& counter) {
    constexpr int kAttemptsWithoutConnection = 3;
    for (int attempt = 1;; ++attempt) {
      const Credentials keys = credentials_.Get();
      const std::string region = Region();
      const Endpoint endpoint = EndpointOf(region);
      const std::string path = endpoint.path + PercentEncoded(call.key, true);
      const UnsignedRequest request{.method = call.method,
                                    .host = endpoint.host,
                                    .path = path,
                                    .query = call.query,
                                    .headers = call.headers,
                                    .body = call.body};
      const std::string query = CanonicalQuery(call.query);
      ++counter;
      if (attempt > 1) ++repeated_;
      Result<HttpResponse> response = client_->Send(
          {.method = call.method,
           .url = endpoint.origin + path + (query.empty() ? "" : "?" + query),
           .headers = SignedHeaders(request, keys, region, std::time(nullptr) + clock_offset_),
           .body = call.body,
           .max_response_bytes = call.max_bytes});
      Failure failure;
      if (!response) {
        failure.error = response.error();
        failure.error.message =
            "no answer from " + Quoted(endpoint.host, 200) + ": " + failure.error.message;
        failure.may_pass = failure.error.code == ErrorCode::kUnavailable &&
                           (attempt < kAttemptsWithoutConnection || has_answered_);
      } else {
        has_answered_ = true;
        if (response->status / 100 == 2) return response;
        failure = Explain(*response, call, keys, endpoint);
      }
      if (failure.needs_new_keys) credentials_.Forget();
      if (!failure.may_pass || attempt >= options_.max_attempts || !Pause(attempt)) {
        return Fail(std::move(failure.error));
      }
    }
  }

  Failure Explain(const HttpResponse& response, const Call& call, const Credentials& keys,
                  const Endpoint& endpoint) {
    const StoreError store = ParseStoreError(response.body);
    const int status = response.status;
    const std::string what = url_.text();
    const auto fail = [](ErrorCode code, std::string message) {
      return Failure{.error = {code, std::move(message)}};
    };
    if (const std::string_view region = response.header("x-amz-bucket-region");
        (status == 301 || status == 400) && !region.empty() && region != Region()) {
      SetRegion(std::string(region));
      Failure failure = fail(ErrorCode::kUnavailable, what + " is in another region");
      failure.may_pass = true;
      return failure;
    }
    if (store.code == "RequestTimeTooSkewed") {
      const std::int64_t before = clock_offset_;
      AdjustClock(response.header("date"));
      Failure failure = fail(ErrorCode::kPermissionDenied,
                             "the clock of this machine is wrong: the store refuses its times");
      failure.may_pass = clock_offset_ != before;
      return failure;
    }
    if (store.code == "ExpiredToken" || store.code == "TokenRefreshRequired" ||
        store.code == "InvalidToken") {
      Failure failure = fail(ErrorCode::kPermissionDenied,
                             "the temporary keys for " + what +
                                 " have expired; get new ones, for example with 'aws sso login', "
                                 "and set AWS_SESSION_TOKEN with them");
      failure.needs_new_keys = true;
      return failure;
    }
    if (store.code == "InvalidAccessKeyId") {
      return fail(ErrorCode::kPermissionDenied,
                  "the store does not know the access key " + Quoted(keys.access_key) +
                      "; check AWS_ACCESS_KEY_ID, or the profile " + Quoted(ProfileName()) +
                      " in ~/.aws/credentials");
    }
    if (store.code == "SignatureDoesNotMatch") {
      return fail(ErrorCode::kPermissionDenied,
                  "the secret key is not that of the access key " + Quoted(keys.access_key) +
                      "; check AWS_SECRET_ACCESS_KEY, or the profile " + Quoted(ProfileName()) +
                      " in ~/.aws/credentials");
    }
    if (status == 404 &&
        (store.code == "NoSuchBucket" || (store.code.empty() && call.key.empty()))) {
      return fail(ErrorCode::kNotFound, "there is no bucket " + Quoted(url_.bucket) + " at " +
                                            endpoint.origin + "; check its name and the endpoint");
    }
    if (status == 404 && !call.key.empty())
      return fail(ErrorCode::kNotFound, "there is no object " + Quoted(call.key));
    if (status == 412 || status == 409) {
      return fail(ErrorCode::kFailedPrecondition,
                  call.method == "PUT" ? "there is an object " + Quoted(call.key) + " already"
                                       : "the object " + Quoted(call.key) + " has changed");
    }
    if (status == 416) {
      return fail(ErrorCode::kFailedPrecondition,
                  "the object " + Quoted(call.key) + " is shorter than before");
    }
    if (status == 401 || status == 403) {
      return fail(ErrorCode::kPermissionDenied,
                  keys.access_key.empty()
                      ? "access to " + what +
                            " is denied, and no keys were found; set AWS_ACCESS_KEY_ID and "
                            "AWS_SECRET_ACCESS_KEY, or make a profile in ~/.aws/credentials"
                      : "access to " + what + " is denied; check what the access key " +
                            Quoted(keys.access_key) + " may do");
    }
    Failure failure =
        fail(ErrorCode::kUnavailable,
             "the store at " + endpoint.host + " answers with status " + std::to_string(status) +
                 (store.code.empty() ? "" : " (" + store.code + ")") +
                 (store.message.empty() ? "" : ": " + store.message.substr(0, 300)));
    failure.may_pass = status == 429 || status == 500 || status == 502 || status == 503 ||
                       status == 504 || store.code == "RequestTimeout";
    return failure;
  }

  // Waits between two attempts, for a random time between half of the maximum and the maximum. The
  // maximum is 0.1 s after the first attempt, then 0.2 s, 0.4 s and so on up to 5 s. Returns false
  // if a stop was requested.
  bool Pause(int attempt) {
    std::unique_lock lock(mutex_);
    const double longest = std::min(5000.0, 100.0 * (1 << std::min(attempt - 1, 10)));
    const double delay = std::uniform_real_distribution<double>(longest / 2, longest)(random_);
    const std::stop_token stop = stop_;
    return !std::condition_variable_any().wait_for(lock, stop,
                                                   std::chrono::duration<double, std::milli>(delay),
                                                   [&] { return stop.stop_requested(); });
  }

  void AdjustClock(std::string_view date) {
    std::tm parts = {};
    if (::strptime(std::string(date).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) {
      return;
    }
    clock_offset_ = ::timegm(&parts) - std::time(nullptr);
  }

  std::string Region() {
    const std::scoped_lock lock(mutex_);
    return region_;
  }
  void SetRegion(std::string region) {
    const std::scoped_lock lock(mutex_);
    region_ = std::move(region);
  }

  const ObjectUrl url_;
  const StoreOptions options_;
  const std::unique_ptr<HttpClient> client_;
  CredentialSource credentials_;
  std::mutex mutex_;
  std::string region_;  // Protected by mutex_, like the next two.
  std::mt19937_64 random_;
  std::stop_token stop_;
  std::atomic<std::int64_t> clock_offset_ = 0;  // Seconds by which the store's clock is ahead.
  std::atomic<bool> has_answered_ = false;
  std::atomic<std::uint64_t> lists_ = 0, gets_ = 0, puts_ = 0, repeated_ = 0, bytes_read_ = 0;
};

}  // namespace

StoreOptions StoreOptions::FromEnvironment(const ObjectUrl& url) {
  StoreOptions options;
  if (url.scheme == "gs") {
    options.endpoint = FirstOf({"GS_ENDPOINT_URL"});
    options.region = "auto";
  } else {
    options.endpoint = FirstOf({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "S3_ENDPOINT"});
    options.region = FirstOf({"AWS_REGION", "AWS_DEFAULT_REGION"});
    const std::string config = ReadProfileFile("AWS_CONFIG_FILE", "config");
    if (options.region.empty()) options.region = IniValue(config, ProfileName(), "region");
    if (options.endpoint.empty()) {
      options.endpoint = IniValue(config, ProfileName(), "endpoint_url");
    }
  }
  options.ca_file = FirstOf({"AWS_CA_BUNDLE"});
  return options;
}

Result<std::unique_ptr<ObjectStore>> ObjectStore::Open(const ObjectUrl& url, StoreOptions options) {
  if (options.region.empty()) options.region = "us-east-1";
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> client, HttpClient::Open(options.ca_file));
  return std::make_unique<S3Store>(url, std::move(options), std::move(client));
}

Result<std::vector<ObjectInfo>> ObjectStore::ListAll(std::string_view prefix) {
  std::vector<ObjectInfo> objects;
  std::string next;
  do {
    CBOARD_ASSIGN_OR_RETURN(ObjectPage page, List(prefix, next));
    std::ranges::move(page.objects, std::back_inserter(objects));
    if (!page.next.empty() && page.next == next) {
      return Fail(ErrorCode::kDataLoss, "the server's list of objects below " + Quoted(prefix) +
                                            " does not end: the same page came twice");
    }
    next = std::move(page.next);
  } while (!next.empty());
  return objects;
}

}  // namespace cboard::object_store

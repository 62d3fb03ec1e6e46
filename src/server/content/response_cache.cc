#include "server/content/response_cache.h"

#include "base/gzip.h"
#include "server/http/content_coding.h"
#include "server/http/etag.h"

namespace cboard::server {
namespace {

// Maximum number of hashes of requests that were sent once; if it is exceeded, all are dropped.
constexpr std::size_t kMaxRequestHashes = 65'536;

std::size_t BytesOf(const HttpResponse& response) {
  const auto size = [](const auto& text) { return text ? text->size() : 0; };
  return size(response.shared_body) + size(response.gzip_body);
}

}  // namespace

ResponseCache::ResponseCache(std::string boot_id, ResponseCacheLimits limits)
    : boot_id_(std::move(boot_id)), limits_(limits) {}

HttpResponse ResponseCache::Respond(const HttpRequest& request, CacheKey wanted,
                                    std::function<HttpResponse()> make) {
  const std::uint64_t version = wanted.snapshot_version;
  std::string etag = boot_id_ + "-" + std::to_string(version) + "-" + EtagOf(wanted.text);
  if (NamesEtag(request.Header("If-None-Match"), etag)) {
    return {.status = 304, .etag = std::move(etag), .route = wanted.route};
  }
  const bool gzip = AcceptsGzip(request.Header("Accept-Encoding"));
  std::string key = std::move(wanted.text);
  key += gzip ? "\ngzip" : "\n";
  if (const auto known = Find(version, key)) return *known;

  HttpResponse response{.route = wanted.route};
  response.later = [this, version, gzip, key = std::move(key), etag = std::move(etag),
                    route = wanted.route, make = std::move(make)] {
    // Checks the cache again: another thread may have created the response while this one waited.
    if (const auto known = Find(version, key)) return *known;
    return Make(version, key, gzip, etag, route, make);
  };
  return response;
}

HttpResponse ResponseCache::Make(std::uint64_t version, std::string key, bool gzip,
                                 std::string etag, std::string_view route,
                                 const std::function<HttpResponse()>& make) {
  HttpResponse response = make();
  response.route = route;
  if (response.status != 200) return response;
  if (response.etag.empty()) response.etag = std::move(etag);
  const std::size_t size =
      response.shared_body ? response.shared_body->size() : response.body.size();
  const bool keeps = !response.file && !response.events && key.size() <= limits_.max_key_bytes &&
                     size <= limits_.max_response_bytes && WasRequestedBefore(version, key);
  if (!keeps) return response;
  if (!response.shared_body) {
    response.shared_body = std::make_shared<const std::string>(std::move(response.body));
    response.body.clear();
  }
  if (gzip && size >= kMinGzipBytes && IsCompressible(response.content_type)) {
    if (auto packed = Gzip(*response.shared_body)) {
      response.gzip_body = std::make_shared<const std::string>(*std::move(packed));
    }
  }
  const auto kept = std::make_shared<const HttpResponse>(std::move(response));
  Keep(version, std::move(key), kept);
  return *kept;
}

std::shared_ptr<const HttpResponse> ResponseCache::Find(std::uint64_t version,
                                                        const std::string& key) {
  Entries forgotten;  // Freed after the lock is released.
  const std::scoped_lock lock(mutex_);
  forgotten = ForgetOlderThan(version);
  if (version != version_) return nullptr;  // The request began before the last change.
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  ++statistics_.hits;
  return found->second->response;
}

bool ResponseCache::WasRequestedBefore(std::uint64_t version, const std::string& key) {
  const std::scoped_lock lock(mutex_);
  ++statistics_.made;
  if (version != version_) return false;
  if (asked_.size() >= kMaxRequestHashes) asked_.clear();
  return !asked_.insert(std::hash<std::string>()(key)).second;
}

void ResponseCache::Keep(std::uint64_t version, std::string key,
                         std::shared_ptr<const HttpResponse> response) {
  Entries forgotten;
  const std::scoped_lock lock(mutex_);
  if (version != version_ || index_.contains(key)) return;
  const std::size_t bytes = BytesOf(*response) + key.size();
  entries_.push_front({std::move(key), std::move(response), bytes});
  index_.emplace(entries_.front().key, entries_.begin());
  statistics_.bytes += bytes;
  while (statistics_.bytes > limits_.max_bytes) {
    const auto last = std::prev(entries_.end());
    statistics_.bytes -= last->bytes;
    index_.erase(last->key);
    forgotten.splice(forgotten.begin(), entries_, last);
  }
}

ResponseCache::Entries ResponseCache::ForgetOlderThan(std::uint64_t version) {
  if (version <= version_) return {};
  version_ = version;
  index_.clear();
  asked_.clear();
  statistics_.bytes = 0;
  return std::exchange(entries_, {});
}

ResponseCacheStatistics ResponseCache::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

}  // namespace cboard::server
